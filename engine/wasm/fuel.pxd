# See fuel.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.wasm.runtime cimport RuntimeVariable


@cython.final
cdef class Fuel:
    cdef void* context
    cdef RuntimeVariable counter
    cdef readonly bint is_counted   # whether the bot has a counter
    cdef bint is_overdrawn      # whether the bot has needed more than it had
    cdef uint64_t given         # counter when it was last set or settled
    cdef uint64_t settled       # fuel used before

    cdef void reset(self) noexcept
    cdef int64_t left(self) noexcept nogil
    cdef void put(self, int64_t left) noexcept nogil
    cdef void give_more(self, uint64_t fuel) noexcept nogil
    cdef uint64_t settle(self) noexcept nogil
    cdef uint64_t pay(self, uint64_t price) noexcept nogil
