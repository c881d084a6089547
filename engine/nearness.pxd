# Having memory come near before it is needed.

cdef extern from *:
    """
    #define prefetch(place) __builtin_prefetch((const void *)(place), 1)
    """
    void prefetch(void* place) noexcept nogil
