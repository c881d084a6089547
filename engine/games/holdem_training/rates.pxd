# See rates.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.kernel.deals cimport Stream
from engine.games.holdem_training.hand_strength cimport HandTables

cdef enum:
    PLACES = 9       # Alice's two cards, Bob's two, the board
    UNKNOWN = 52     # placeholder of a card
    NOT_CARDS = -2   # placeholder of a result


@cython.final
cdef class RateSampler:
    cdef const HandTables* tables
    cdef Stream starts
    cdef uint64_t queries
    cdef bint sample(self, uint64_t places, int64_t samples, int64_t* wins, int64_t* ties) noexcept nogil
    cdef int result(self, uint64_t places) noexcept nogil
