# Writes to memory, makes it read-only, and takes more: what can't be written to is not counted by the system's limit.
# Verdict: disqualified: ran out of memory
import ctypes

LIBRARY = ctypes.CDLL(None, use_errno=True)
LIBRARY.mmap.restype = ctypes.c_void_p
LIBRARY.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
LIBRARY.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
SIZE = 4 << 20


def a(bot):
    for _ in range(100 if bot.money == 100 else 0):
        block = LIBRARY.mmap(None, SIZE, 3, 0x22, -1, 0)
        if block == ctypes.c_void_p(-1).value:
            raise MemoryError
        ctypes.memset(block, 1, SIZE)
        LIBRARY.mprotect(block, SIZE, 1)
    return 5
