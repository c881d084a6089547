# See core.pyx for details.

cimport cython
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from engine.kernel.deals cimport BLOCK_WORDS, LANES, Key
from engine.kernel.game_core cimport GameCore, Status

cdef enum Phase:
    START_GAME
    A_DECIDES
    B_DECIDES

# Cards are kept as the bits of a float, which are chosen and compared without a branch.
cdef struct View:             # what a bot is shown
    uint32_t card
    uint32_t opponents_previous_card
    int32_t money
    int32_t opponents_money
    int32_t bet               # shown to B only

cdef struct GameRow:
    int64_t match
    int32_t session
    uint8_t game
    uint8_t seat_0_is_a
    float a_card
    float b_card
    int16_t a_money
    int16_t b_money
    uint8_t bet
    uint8_t folded
    int8_t a_gain

cdef struct SessionRow:
    int64_t match
    int32_t session
    uint8_t games
    int16_t gain_0
    double points_0
    double points_1

cdef union Card:
    float value
    uint32_t bits

cdef struct Cards:
    Card cards[2 * BLOCK_WORDS][LANES]      # B's and A's of each of a block's games, by block


@cython.final
cdef class VonNeumannPoker(GameCore):
    cdef Phase phase
    cdef int64_t ante_of_cap          # what the cap on bets leaves a bot for the ante
    cdef Key deals_key
    # A session is a stream of deals, eight games a block.
    cdef Cards openings               # the first blocks of eight sessions
    cdef Cards later                  # the blocks of this session after its first
    cdef const Card* next_cards       # B's of the next game; A's are LANES behind
    cdef int32_t session_number       # number in the records
    # the game now played
    cdef int a_seat
    cdef int first_a_seat             # seat of A in the leg's first game
    cdef bint roles_by_session
    cdef int64_t a_money              # both bots' together is always the same
    cdef uint32_t a_previous_card     # B's in the game before, as shown to A
    cdef uint32_t b_previous_card
    cdef uint32_t a_card
    cdef uint32_t b_card
    cdef int64_t bet

    cdef inline int64_t stake_won(self) noexcept nogil
    cdef Status finish_game(self, int64_t gain, bint folded, uint32_t a_shown, uint32_t b_shown) noexcept nogil
    cdef Status finish_session(self) noexcept nogil
    cdef Status start_game(self) noexcept nogil
    cdef inline Status deal(self) noexcept nogil
    cdef void find_deals(self) noexcept nogil
    cdef inline void show(
        self, int seat, uint32_t card, uint32_t previous_card, int64_t money, int64_t opponents_money
    ) noexcept nogil
