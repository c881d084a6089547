# See rates.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.hand_strength cimport HandTables
from engine.referee cimport GetFuel, RuntimeValue, SetFuel

ctypedef void* (*NewTrap)(const char* message, size_t length) noexcept nogil

cdef enum:
    PLACES = 9       # Alice's two cards, Bob's two, the board
    UNKNOWN = 52     # in place of a card


@cython.final
cdef class RateSampler:
    cdef const HandTables* tables
    cdef uint64_t key
    cdef uint64_t queries
    cdef bint sample(self, uint64_t places, int64_t samples, int64_t* wins, int64_t* ties) noexcept nogil
    cdef int result(self, uint64_t places) noexcept nogil


@cython.final
cdef class RateHelpers:
    cdef RateSampler sampler
    cdef SetFuel set_fuel
    cdef GetFuel get_fuel
    cdef NewTrap new_trap
    cdef void* context
    cdef void* give_rates(self, RuntimeValue* values) noexcept nogil
    cdef void* give_result(self, RuntimeValue* values) noexcept nogil
    cdef void* trap(self, const char* reason) noexcept nogil
    cdef bint pay(self, uint64_t price) noexcept nogil
