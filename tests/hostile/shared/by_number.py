"""Common code of hostile bots that call the system by its numbers."""

import ctypes

LIBRARY = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(4096)


def call(number, *arguments):
    """Call the system by a number of x86_64, with errors as Python has them."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def see_refused(calls, errors):
    """Each must be refused by one of these errors: any other would say that the system had a look at it."""
    for name, arguments in calls.items():
        try:
            call(*arguments)
        except OSError as error:
            if error.errno in errors:
                continue
            raise AssertionError(f"{name} was tried: {error}") from None
        raise AssertionError(f"{name} was done")
