"""Landlock domains, which limit what a process can do to files, ports, and processes outside.

It runs inside the sandbox with the standard library alone. Numbers and layouts are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct

from tournament.sandbox.inside.libc import call

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable

# First version that keeps signals within a domain.
SIGNALS_SINCE = 6
_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on every machine
_ASK_VERSION = 1
_BELOW_A_PATH = 1
# Number of accesses to files that a version can refuse; from version 5 on all 16 that are known here.
_ACCESSES, _ALL_ACCESSES = {1: 13, 2: 14, 3: 15, 4: 15}, 16
_ALL_OF_PORTS, _PORTS_SINCE, _ALL_SCOPES = 3, 4, 3
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER, _TRUNCATE = 1, 2, 4, 8, 1 << 14
_REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE, _MAKE_LINK, _REFER = 16, 32, 128, 256, 1 << 12, 1 << 13
_MAKE_DEVICE = 1 << 11
_ACCESSES_TO_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
READ, LIST = _EXECUTE | _READ_FILE | _READ_FOLDER, _READ_FOLDER
# These omit devices, sockets, named pipes and ioctl.
_CHANGE_FOLDERS = _REMOVE_FOLDER | _REMOVE_FILE | _MAKE_FOLDER | _MAKE_FILE | _MAKE_LINK | _REFER
WRITE = READ | _WRITE_FILE | _TRUNCATE | _CHANGE_FOLDERS


def version() -> int:
    """Return the version of Landlock that the kernel supports, from 1.

    Raises:
        OSError: Landlock is missing, switched off, or refused, for example by a container.
    """
    return call("syscall", _CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)


def enter_domain(version: int, allowed: Iterable[tuple[str, int]] | None = None) -> None:
    """Put this process into a new domain. This can't be undone, and children inherit it.

    Call `libc.gain_no_privileges` before. A process in a domain can't trace processes outside, nor in a nested domain.
    So in /proc it can't reach their memory, descriptors and folders. Later versions also refuse ports, signals and
    abstract sockets, which the filter of system calls refuses everywhere.

    Args:
        version: The kernel's version of Landlock.
        allowed: Paths with the accesses to them and everything below, such as READ, LIST or WRITE. Missing paths are
            ignored. All other accesses to files are refused, as far as the version can. None allows all files.

    Raises:
        OSError: The kernel refuses the domain. Or an existing path can't be opened.
    """
    supported = (1 << _ACCESSES.get(version, _ALL_ACCESSES)) - 1
    files = _MAKE_DEVICE if allowed is None else supported  # a domain must refuse something; devices are refused anyway
    ports = _ALL_OF_PORTS if allowed is not None and version >= _PORTS_SINCE else 0
    attributes = struct.pack("=QQQ", files, ports, _ALL_SCOPES if version >= SIGNALS_SINCE else 0)
    ruleset = call("syscall", _CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for path, accesses in allowed or ():
            _allow(ruleset, path, accesses & supported)
        call("syscall", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, accesses: int) -> None:
    """Add a rule that allows accesses to a path and everything below. A missing path is ignored.

    Args:
        ruleset: Descriptor of the rules.
        path: The path.
        accesses: Bits of the accesses. Those to folders are left out for a file.

    Raises:
        OSError: The path can't be opened, or the kernel refuses the rule.
    """
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            accesses &= _ACCESSES_TO_FILES
        call("syscall", _ADD_RULE, ruleset, _BELOW_A_PATH, struct.pack("=Qi", accesses, descriptor), 0)
    finally:
        os.close(descriptor)
