"""Looks in /proc for what other processes have open and where they are: what their descriptors and folders lead to.

Verdict: ok
"""

import os

from look_once import a, b

LINKS = ("/fd/0", "/fd/1", "/cwd", "/exe", "/root", "/root/etc/passwd")
WAYS = (os.stat, os.listdir, os.chdir, os.readlink, lambda path: os.open(path, os.O_PATH))


def look():
    own = os.getpid()
    for process in {os.getppid(), 1, *range(max(2, own - 20), own + 20)} - {own}:
        for root in ("/proc", "/var/run/../proc", "/dev/fd/../.."):
            for path in (f"{root}/{process}{link}" for link in LINKS):
                for way in WAYS:
                    try:
                        found = way(path)
                    except OSError:
                        continue
                    raise AssertionError(f"{path} is {found}")
