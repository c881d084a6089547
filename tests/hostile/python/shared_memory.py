"""Leaves memory for its next leg: System V's, POSIX's, and without a name.

Verdict: ok
"""

import ctypes
import mmap
from multiprocessing import shared_memory

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A system call by its number on x86_64; raises OSError as Python does."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


KEY = 0x7E57B07
ATTEMPTS = {
    "shmget": lambda: call(29, KEY, 4096, 0o1666),
    "semget": lambda: call(64, KEY, 1, 0o1666),
    "msgget": lambda: call(68, KEY, 0o1666),
    "shm_open": lambda: shared_memory.SharedMemory("left_by_a_hostile_bot", create=True, size=4096),
    "memfd_create": lambda: call(319, ctypes.addressof(ctypes.create_string_buffer(b"left_by_a_hostile_bot")), 0),
    "shared and without a file": lambda: mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    "that grows": lambda: mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100),
}


done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for name, attempt in ATTEMPTS.items():
        try:
            attempt()
        except (OSError, RuntimeError):
            continue
        raise AssertionError(name)
    return 5


def b(bot, bet):
    return bot.card > 0.5
