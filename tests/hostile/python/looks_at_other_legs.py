"""Looks in /proc for what other legs lay out: their descriptors, by what they are and how many, and where they are.

Verdict: ok
"""

import os

looked = False
LINKS = ("/proc", "/var/run/../proc", "/dev/fd/../..", "/proc/self/root/proc")


def attempts(process):
    for root in LINKS:
        folder = f"{root}/{process}"
        for look in (os.stat, os.lstat, os.listdir, os.chdir, lambda path: os.open(path, os.O_PATH)):
            for name in ("", "/fd", "/fd/0", "/fd/1", "/fdinfo/1", "/cwd", "/exe", "/root", "/task", "/map_files"):
                yield look, folder + name


def a(bot):
    global looked
    if looked:
        return 5
    looked = True
    own = os.getpid()
    for process in (os.getppid(), 1, *range(max(2, own - 20), own + 20)):
        for look, path in attempts(process):
            try:
                found = look(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise AssertionError(f"{path} is there: {error}") from None
            raise AssertionError(f"{path} is {found}")
    return 5


def b(bot, bet):
    return bot.card > 0.5
