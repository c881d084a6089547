"""Follows the links in /proc to the folders and files of other processes, whatever their numbers.

Verdict: ok
"""

import os

from look_once import a, b


def look():
    own = os.getpid()
    for process in (os.getppid(), 1, *range(max(1, own - 200), own + 50)):
        for name in ("cwd", "exe", "root", "fd/0", "fd/1", "fd/5", "ns/pid", "task/1/exe"):
            for path in (f"/proc/{process}/{name}", f"/proc/self/../{process}/{name}"):
                try:
                    where = os.readlink(path)
                except OSError:
                    continue
                raise AssertionError(f"{path} leads to {where}")
    try:
        where = os.readlink("exe", dir_fd=os.open("/proc/1", os.O_PATH))
    except OSError:
        return
    raise AssertionError(where)
