"""Attempts to do what no confined process is allowed to do. The probe makes them as a bot, and as a build.

The probe of builds executes this file's text, so it uses the standard library alone.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import socket

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Callable, Mapping


def possible(paths: Mapping[str, str], tournament: int, *, build: bool) -> list[str]:
    """Return the names of the forbidden actions that succeed in this process, in the order of the attempts.

    The list is empty in a process that is confined. What succeeds has its effect: it empties or makes the files, and
    leaves descriptors open.

    Args:
        paths: Paths by what is tried: an existing file to "read", and a missing one to "write".
        tournament: Process ID of the tournament.
        build: Whether it is a build, which can start processes and have a pair of sockets. These aren't tried then.
    """
    read, write = paths["read"], paths["write"]
    things: dict[str, Callable[[], object]] = {
        "read": lambda: os.open(read, os.O_RDONLY),
        "write": lambda: os.open(write, os.O_WRONLY | os.O_CREAT),
        "empty a file": lambda: os.open(read, os.O_RDONLY | os.O_TRUNC),
        "open a file for nothing": lambda: os.open(read, 3),
        "truncate": lambda: os.truncate(read, 0),
        "list processes": lambda: os.listdir("/proc"),
        "connect": lambda: socket.socket(),
        "signal its parent": lambda: os.kill(os.getppid(), 0),
        "signal the tournament": lambda: os.kill(tournament, 0),
        "raise a limit": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)),
    }
    if not build:
        things |= {
            "pair": lambda: socket.socketpair(),
            "fork": lambda: os.fork() or os._exit(0),
            "execute": _execute_nothing,
        }
    succeeded = []
    for name, attempt in things.items():
        try:
            attempt()
        except (OSError, ValueError):
            continue
        succeeded.append(name)
    return succeeded


def _execute_nothing() -> None:
    """Execute a file that doesn't exist. It returns if the system call was made and found no file.

    Raises:
        OSError: The system call itself is refused.
    """
    library = ctypes.CDLL(None, use_errno=True)
    library.execve(b"/nonexistent", None, None)
    if ctypes.get_errno() == errno.EPERM:
        raise OSError(errno.EPERM, "")
