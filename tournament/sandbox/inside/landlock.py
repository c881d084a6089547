"""Landlock domains: what a process in one may do to files, ports, and processes outside of it.

Runs inside the sandbox with the standard library alone. Numbers and layouts are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import struct

from tournament.sandbox.inside.c_library import call

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT = 444, 445, 446  # on every machine
_BELOW_A_PATH = 1
# All that version 6 can handle of each.
ALL_OF_FILES, _ALL_OF_PORTS, _ALL_SCOPES = (1 << 16) - 1, 3, 3
EXECUTE, READ_FILE, READ_FOLDER = 1, 4, 8


def enter_domain(files: int = 0, allowed: Iterable[tuple[int, int]] = ()) -> None:
    """Put this process under a domain of its own, for good. Raises OSError.

    It can't reach processes outside of it, or in another domain within it, by signals, abstract sockets or anything
    that takes the right to trace: in /proc, their memory and what their descriptors and folders lead to. With
    accesses to `files`, it refuses these, and all ports; `allowed` are exceptions: descriptors of files and folders
    with the accesses to them and all below.
    """
    attributes = struct.pack("=QQQ", files, _ALL_OF_PORTS if files else 0, _ALL_SCOPES)
    ruleset = call("syscall", _CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    try:
        for place, accesses in allowed:
            call("syscall", _ADD_RULE, ruleset, _BELOW_A_PATH, struct.pack("=Qi", accesses, place), 0)
        call("syscall", _RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
