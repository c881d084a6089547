"""What hostile bots that call the system by its numbers have in common."""

import ctypes

LIBRARY = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)


def call(number, *arguments):
    """A system call by its number on x86_64; raises OSError as Python does."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result
