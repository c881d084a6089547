"""Looks in /proc for what other legs lay out: their descriptors, by what they are and how many, and where they are.

Verdict: ok
"""

import os

from look_once import a, b

LINKS = ("/proc", "/var/run/../proc", "/dev/fd/../..", "/proc/self/root/proc")


def attempts(process):
    for root in LINKS:
        folder = f"{root}/{process}"
        for way in (os.stat, os.lstat, os.listdir, os.chdir, lambda path: os.open(path, os.O_PATH)):
            for name in ("", "/fd", "/fd/0", "/fd/1", "/fdinfo/1", "/cwd", "/exe", "/root", "/task", "/map_files"):
                yield way, folder + name


def look():
    own = os.getpid()
    for process in (os.getppid(), 1, *range(max(2, own - 20), own + 20)):
        for way, path in attempts(process):
            try:
                found = way(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise AssertionError(f"{path} is there: {error}") from None
            raise AssertionError(f"{path} is {found}")
