"""Becomes many: forks of all kinds, spawned shells, a daemon by setsid and a second fork.

Verdict: ok
"""

import ctypes
import os
import subprocess

LIBRARY = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A system call by its number on x86_64; raises OSError as Python does."""
    result = LIBRARY.syscall(ctypes.c_long(number), *[ctypes.c_long(argument) for argument in arguments])
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


CHILD_DIES, WITH_ITS_MEMORY = 17, 0x4111


def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                pass
        os._exit(0)
    return "a daemon"


ATTEMPTS = {
    "fork": os.fork,
    "forkpty": os.forkpty,
    "fork by number": lambda: call(57),
    "vfork": lambda: call(58),
    "clone": lambda: call(56, CHILD_DIES, 0, 0, 0, 0),
    "clone with its memory": lambda: call(56, WITH_ITS_MEMORY, 0, 0, 0, 0),
    "clone3": lambda: call(435, ctypes.addressof(ctypes.create_string_buffer(88)), 88),
    "setsid": os.setsid,
    "setpgid": lambda: os.setpgid(0, 0),
    "daemon": daemon,
    "spawn": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "sleep 1000"], {}),
    "system": lambda: os.system("sleep 1000") and 1 // 0,
    "run": lambda: subprocess.run(["sleep", "1000"]),
}


done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for name, attempt in ATTEMPTS.items():
        for _ in range(50):
            try:
                result = attempt()
            except (OSError, ZeroDivisionError):
                continue
            if result == 0 and "fork" in name:
                while True:
                    pass
            raise AssertionError(f"{name} gave {result}")
    return 5


def b(bot, bet):
    return bot.card > 0.5
