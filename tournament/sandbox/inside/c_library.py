"""Calls of the C library that Python lacks. Runs inside the sandbox with the standard library alone."""

from __future__ import annotations

import ctypes
import os


def call(function: str, *arguments: object) -> int:
    """Call a function of the C library, with whole numbers as long. Raises OSError where it gives less than 0."""
    library = ctypes.CDLL(None, use_errno=True)
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = getattr(library, function)(*values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
