# Leaves memory for its next leg: System V's, POSIX's, and without a name.
# Verdict: ok
import ctypes
import mmap
from multiprocessing import shared_memory

from attempts import a, b
from by_number import call

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
