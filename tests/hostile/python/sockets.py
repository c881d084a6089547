"""Calls its author, in every family and type, also by its number.

Verdict: ok
"""

import ctypes
import socket

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A system call by its number on x86_64; raises OSError as Python does."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for family in range(64):
        for kind in range(1, 11):
            try:
                call(41, family, kind, 0)
            except OSError:
                continue
            raise AssertionError(f"a socket of family {family} and type {kind}")
    for attempt in (socket.socketpair, lambda: call(53, 1, 1, 0, 0), lambda: socket.create_server(("", 0))):
        try:
            attempt()
        except OSError:
            continue
        raise AssertionError("a pair or a server")
    return 5


def b(bot, bet):
    return bot.card > 0.5
