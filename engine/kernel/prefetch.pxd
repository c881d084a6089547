# Asking for memory before it is needed.

cdef extern from *:
    """
    #define PREFETCH(address) __builtin_prefetch((const void *)(address), 1)
    """
    void prefetch "PREFETCH"(void* address) noexcept nogil
