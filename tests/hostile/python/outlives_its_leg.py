"""Wants to live on when its parent ends, deaf to signals and in a session of its own.

Verdict: ok
"""

import ctypes
import os
import signal

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A system call by its number on x86_64; raises OSError as Python does."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_CHILD_SUBREAPER = 1, 4, 36
for number in range(1, 64):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass


done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for attempt in (
        lambda: call(157, SET_PARENT_DEATH_SIGNAL, 0, 0, 0),
        lambda: call(157, SET_DUMPABLE, 0, 0, 0),
        lambda: call(157, SET_CHILD_SUBREAPER, 1, 0, 0),
        os.setsid,
    ):
        try:
            attempt()
        except OSError:
            continue
        raise AssertionError("it may")
    return 5


def b(bot, bet):
    return bot.card > 0.5
