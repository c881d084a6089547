# Becomes many, or another program: forks of all kinds, threads, shells, and memory that others could share.
# Verdict: ok
import _thread
import concurrent.futures
import ctypes
import mmap
import os
import subprocess
import sys
import threading
import time
from multiprocessing import shared_memory

from attempts import a, b
from by_number import call

LEFT, KEY = "left_by_a_hostile_bot", 0x7E57B07
CHILD_DIES, WITH_ITS_MEMORY = 17, 0x4111


def fork(attempt):
    if attempt() == 0:
        while True:
            pass
    return "a child"


ATTEMPTS = {
    "fork": lambda: fork(os.fork),
    "forkpty": lambda: fork(lambda: os.forkpty()[0]),
    "fork by number": lambda: fork(lambda: call(57)),
    "vfork": lambda: fork(lambda: call(58)),
    "clone": lambda: fork(lambda: call(56, CHILD_DIES, 0, 0, 0, 0)),
    "clone with its memory": lambda: call(56, WITH_ITS_MEMORY, 0, 0, 0, 0),
    "clone3": lambda: call(435, ctypes.addressof(ctypes.create_string_buffer(88)), 88),
    "setsid": os.setsid,
    "setpgid": lambda: os.setpgid(0, 0),
    "spawn": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "sleep 1000"], {}),
    "run": lambda: subprocess.run(["sleep", "1000"]),
    "exec": lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
    "exec itself": lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    "exec by descriptor": lambda: os.execve(os.open(os.__file__, os.O_RDONLY), ["x"], {}),
    "exec by the loader": lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/sh"]),
    "thread": lambda: _thread.start_new_thread(time.sleep, (1000,)),
    "thread of the library": lambda: threading.Thread(target=time.sleep, args=(1000,)).start(),
    "pool": lambda: concurrent.futures.ThreadPoolExecutor(2).submit(time.sleep, 1000),
    "shmget": lambda: call(29, KEY, 4096, 0o1666),
    "semget": lambda: call(64, KEY, 1, 0o1666),
    "msgget": lambda: call(68, KEY, 0o1666),
    "shm_open": lambda: shared_memory.SharedMemory(LEFT, create=True, size=4096),
    "memfd_create": lambda: os.memfd_create(LEFT),
    "shared and without a file": lambda: mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    "that grows": lambda: mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100),
}
