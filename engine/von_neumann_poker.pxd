# See von_neumann_poker.pyx for details.

cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t

from engine.deals cimport Blocks, Key
from engine.game_core cimport GameCore, Status
from engine.records cimport Table

cdef enum Phase:
    START_GAME
    A_DECIDES
    B_DECIDES

cdef struct View:             # what a bot is shown, as it lies in the statement's Bot
    float card
    float opponents_previous_card
    int64_t money
    int64_t opponents_money


@cython.final
cdef class VonNeumannPoker(GameCore):
    cdef Phase phase
    cdef int32_t match                # as recorded
    cdef int32_t first_session        # as recorded
    cdef bint seats_swapped           # y is A in even games
    cdef bint cap_after_ante
    cdef Key deals_key
    # A session is a stream of deals, eight games a block.
    cdef Blocks openings              # the first blocks of eight sessions
    cdef Blocks later                 # the blocks of this session after its first
    cdef const Blocks* deals          # which of them has the game now played
    cdef int lane                     # and where
    cdef int64_t money[2]             # by seat
    cdef float previous_card[2]       # the opponent's, as shown to the seat
    # the game now played, by role
    cdef int a_seat
    cdef float a_card
    cdef float b_card
    cdef int64_t bet
    # records
    cdef Table games_table
    cdef Table sessions_table
    cdef int32_t* g_match
    cdef int32_t* g_session
    cdef uint8_t* g_game
    cdef uint8_t* g_x_is_a
    cdef float* g_a_card
    cdef float* g_b_card
    cdef int16_t* g_a_money
    cdef int16_t* g_b_money
    cdef uint8_t* g_bet
    cdef uint8_t* g_folded
    cdef int8_t* g_a_gain
    cdef int32_t* s_match
    cdef int32_t* s_session
    cdef uint8_t* s_games
    cdef int16_t* s_x_gain
    cdef double* s_x_points

    cdef void find_deals(self) noexcept nogil
    cdef inline void show(self, int seat, float card) noexcept nogil
    cdef inline void finish_game(self, bint folded) noexcept nogil
    cdef void finish_session(self) noexcept nogil
