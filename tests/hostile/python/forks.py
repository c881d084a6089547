# Becomes many: forks of all kinds, spawned shells, a daemon by setsid and a second fork.
# Verdict: ok
import ctypes
import os
import subprocess

from by_number import call
from look_once import a, b

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


def look():
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
