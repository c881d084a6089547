# See bob.pyx for details.

from libc.stdint cimport int64_t, uint8_t, uint64_t

from engine.games.holdem_training.hand_strength cimport HandTables

cdef enum:
    MAX_RAISE = 100

cpdef enum:
    POT = 10    # chips of a new hand

cdef int hole_class(int first, int second) noexcept nogil
cdef const double* call_probabilities() except NULL
cdef bint calls_by_rollouts(
    const HandTables* tables,
    const uint8_t* hole,
    const uint8_t* board,
    int board_count,
    int64_t pot,
    int64_t raised,
    uint64_t word,
) noexcept nogil
