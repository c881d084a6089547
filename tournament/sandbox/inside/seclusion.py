"""A mount namespace and a Landlock domain for a process and all that it forks: no /proc, only named files to read.

The kernel itself answers calls about paths here: a supervisor that answers for it shows what it sees itself, such as
the descriptors of another leg in /proc. Runs inside, with the standard library alone.
"""

from __future__ import annotations

import ctypes
import os
import stat

from tournament.sandbox.inside import landlock

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable, Iterator, Mapping

# Linux, sched.h and mount.h.
_NEW_MOUNTS, _NEW_NAMES, _NEW_USERS = 0x20000, 0x04000000, 0x10000000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXECUTION, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 8, 0x1000, 0x4000, 1 << 18
_NO_NEW_PRIVILEGES = 38

HOSTS = "127.0.0.1 localhost\n::1 localhost\n"


class NotHere(Exception):
    """The system gives no namespaces; the message says what it refused."""


def enter(name: str, readable: Iterable[str], listed: Iterable[str], emptied: Mapping[str, Iterable[str]]) -> None:
    """Enter them for good; `name` is the machine's name there.

    `readable`: files, and folders with all in them. `listed`: folders of which only the names can be read. `emptied`:
    folders in which only these names are to be found. Raises NotHere, and OSError.
    """
    user, group = os.getuid(), os.getgid()
    kinds = _NEW_MOUNTS | _NEW_NAMES
    try:
        _call("unshare", kinds)
    except NotHere:  # it takes capabilities, which a user namespace of one's own gives
        _call("unshare", kinds | _NEW_USERS)
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        for file, content in maps.items():
            try:
                with open(f"/proc/self/{file}", "w") as told:
                    told.write(content)
            except OSError as error:
                raise NotHere(f"{file}: {error.strerror}") from None
    _call("mount", None, b"/", None, _RECURSIVE | _PRIVATE, None)
    _call("sethostname", name.encode(), len(name))
    for folder, kept in emptied.items():
        _empty(folder, kept)
    _hide_the_system(name)
    _call("prctl", _NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    landlock.enter_domain(landlock.ALL_OF_FILES, _allowed(readable, listed))


def _hide_the_system(name: str) -> None:
    """Empty /proc and /sys, and leave in /etc only the machine's name and hosts."""
    _mount_empty("/sys", 0)
    for file, content in (("hostname", name + "\n"), ("hosts", HOSTS)):
        with open(f"/sys/{file}", "w") as written:
            written.write(content)
        if os.path.isfile(f"/etc/{file}"):
            _call("mount", f"/sys/{file}".encode(), f"/etc/{file}".encode(), None, _BIND, None)
    _mount_empty("/sys", _READ_ONLY)
    _mount_empty("/proc", _READ_ONLY)


def _empty(folder: str, kept: Iterable[str]) -> None:
    """Leave these names in a folder, none else."""
    places = {f"{folder}/{name}": os.open(f"{folder}/{name}", os.O_PATH | os.O_CLOEXEC) for name in kept}
    _mount_empty(folder, 0)
    for path, place in places.items():
        if stat.S_ISDIR(os.fstat(place).st_mode):
            os.mkdir(path)
        else:
            open(path, "w").close()
        _call("mount", f"/proc/self/fd/{place}".encode(), path.encode(), None, _BIND, None)
        os.close(place)


def _mount_empty(path: str, flags: int) -> None:
    flags |= _NO_SETUID | _NO_DEVICES | _NO_EXECUTION
    _call("mount", b"none", path.encode(), b"tmpfs", flags, b"size=64k,mode=555")


def _allowed(readable: Iterable[str], listed: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The files that may be read, as `landlock.enter_domain` takes them: each is open until the next is asked for."""
    rights = dict.fromkeys(listed, landlock.READ_FOLDER)
    rights |= dict.fromkeys(readable, landlock.EXECUTE | landlock.READ_FILE | landlock.READ_FOLDER)
    for path, accesses in rights.items():
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # it isn't there
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            accesses &= ~landlock.READ_FOLDER
        yield place, accesses
        os.close(place)


def _call(function: str, *arguments: object) -> int:
    """Call the C library. Raises NotHere when that fails."""
    library = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = getattr(library, function)(*values)
    if result < 0:
        raise NotHere(f"{function}: {os.strerror(ctypes.get_errno())}")
    return int(result)
