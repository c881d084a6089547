# Memory that grows.

from libc.stdlib cimport realloc

cdef inline bint grown(void** content, size_t* capacity, size_t needed, size_t item) noexcept nogil:
    """Enlarge an array to hold `needed` items of `item` bytes, and return false if there is no memory."""
    cdef void* larger
    if needed <= capacity[0]:
        return True
    larger = realloc(content[0], 2 * needed * item)
    if larger == NULL:
        return False
    content[0] = larger
    capacity[0] = 2 * needed
    return True
