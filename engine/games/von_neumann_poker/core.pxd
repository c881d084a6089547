# See core.pyx for details.

cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint64_t

from engine.kernel.deals cimport Blocks, Key
from engine.kernel.game_core cimport GameCore, Status

cdef enum Phase:
    START_GAME
    A_DECIDES
    B_DECIDES

cdef struct View:             # what a bot is shown, as it lies in the statement's Bot
    float card
    float opponents_previous_card
    int64_t money
    int64_t opponents_money

cdef struct GameRow:
    int32_t match
    int32_t session
    uint8_t game
    uint8_t x_is_a
    float a_card
    float b_card
    int16_t a_money
    int16_t b_money
    uint8_t bet
    uint8_t folded
    int8_t a_gain

cdef struct SessionRow:
    int32_t match
    int32_t session
    uint8_t games
    int16_t x_gain
    double x_points
    double y_points


@cython.final
cdef class VonNeumannPoker(GameCore):
    cdef Phase phase
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

    cdef void find_deals(self) noexcept nogil
    cdef inline void show(self, int seat, float card) noexcept nogil
    cdef inline void finish_game(self, bint folded) noexcept nogil
    cdef void finish_session(self) noexcept nogil
