"""Calls of the C library that Python lacks. It runs inside the sandbox with the standard library alone."""

from __future__ import annotations

import ctypes
import os

_SET_PARENT_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38  # linux/prctl.h

_LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(function: str, *arguments: object) -> int:
    """Call a function of the C library, and return its result, which is at least 0.

    Args:
        function: Name of the function.
        arguments: Its arguments. Integers are passed as long, None as a null pointer, and bytes as a pointer to them.

    Raises:
        OSError: The function returned a negative number. The error has the number in errno.
    """
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result: int = getattr(_LIBRARY, function)(*values)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def prctl(option: int, *values: object) -> None:
    """Set an option of this process.

    Args:
        option: Number of the option in linux/prctl.h.
        values: Up to four values. Missing ones are 0.

    Raises:
        OSError: The kernel refuses it.
    """
    call("prctl", option, *values, *[0] * (4 - len(values)))


def end_with(parent: int, signal: int = 9) -> None:
    """Have this process receive a signal when the thread of `parent` that started it ends.

    If that process has already ended, exit with the status 1.

    Args:
        parent: Process ID of the parent.
        signal: Number of the signal. By default it is SIGKILL.

    Raises:
        OSError: The kernel refuses it.
    """
    prctl(_SET_PARENT_DEATH_SIGNAL, signal)
    if os.getppid() != parent:
        os._exit(1)


def gain_no_privileges() -> None:
    """Keep everything that this process executes from gaining rights. Filters and domains require this.

    It can't be undone, and children inherit it.

    Raises:
        OSError: The kernel refuses it.
    """
    prctl(_NO_NEW_PRIVILEGES, 1)
