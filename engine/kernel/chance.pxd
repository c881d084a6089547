# See chance.pyx for details.

cimport cython
from libc.stdint cimport uint64_t

from engine.kernel.deals cimport Key, Stream


@cython.final
cdef class Rng:
    cdef Key key
    cdef Stream stream
    cdef uint64_t number        # stream's number
    cdef uint64_t drawn         # words of it
    cdef bint is_started

    cdef void turn_to(self, uint64_t number) noexcept nogil
    cdef uint64_t word(self) noexcept nogil
    cdef uint64_t below(self, uint64_t end) except? 0
    cdef double fraction(self) noexcept nogil
