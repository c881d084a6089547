# See core.pyx for details.

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from engine.kernel.deals cimport Stream
from engine.kernel.game_core cimport GameCore, Status
from engine.games.holdem_training.hand_strength cimport HandTables

cdef enum:
    CARDS = 9            # Alice's two, Bob's two, the board's five, in the order of the deal
    ROUNDS = 4

cpdef enum:
    STACK = 100
    CHECK = 0            # answers: these, or the chips raised
    FOLD = -1

cpdef enum:              # what Bob did: `bobs_answer`, and the columns bob_answer_1 to bob_answer_4
    BOB_NOT_ASKED
    BOB_CHECKED
    BOB_CALLED
    BOB_FOLDED

cdef enum:               # values of `folded_by`
    NOBODY
    ALICE
    BOB

cdef enum Phase:
    START_HAND
    ALICE_DECIDES

cdef struct Card:         # card as in texas.h, both -1 if Alice doesn't see it
    int32_t suit
    int32_t value

cdef struct View:
    Card cards[CARDS]     # texas.h calls these the State
    int32_t round         # starts at 1
    int32_t stack
    int32_t bobs_stack
    int32_t pot

cdef struct GameRow:
    int64_t match
    int32_t session
    int32_t game
    uint8_t alice_card_1     # the cards, in the order of the deal
    uint8_t alice_card_2
    uint8_t bob_card_1
    uint8_t bob_card_2
    uint8_t flop_1
    uint8_t flop_2
    uint8_t flop_3
    uint8_t turn
    uint8_t river
    uint8_t raise_1
    uint8_t bob_answer_1
    uint8_t raise_2
    uint8_t bob_answer_2
    uint8_t raise_3
    uint8_t bob_answer_3
    uint8_t raise_4
    uint8_t bob_answer_4
    uint8_t folded_by
    int8_t profit

cdef struct SessionRow:
    int64_t match
    int32_t session
    int32_t games
    int32_t profit
    double mean_profit


@cython.final
cdef class HoldemTraining(GameCore):
    cdef Phase phase
    cdef Stream luck                  # cards and Bob's dice, a block for each hand of the leg
    cdef const uint8_t[:, ::1] decks  # fixed hands instead of dealt ones, or None
    cdef bint has_decks
    cdef const HandTables* tables
    cdef const double* preflop_calls
    # the hand now played
    cdef int lane                     # lane of its block
    cdef uint8_t cards[CARDS]
    cdef int round                    # starts at 0
    cdef int64_t stack                # Alice's; Bob's is the same whenever she is asked
    cdef int64_t pot
    cdef bint sits_out                # Alice isn't asked any more in this hand
    cdef uint8_t raises[ROUNDS]
    cdef uint8_t answers[ROUNDS]
    # the decision just taken, and the hand just finished
    cdef readonly int bobs_answer
    cdef readonly int64_t profit

    cdef bint take_action(self, int64_t action) noexcept nogil
    cdef void deal(self) noexcept nogil
    cdef void show(self) noexcept nogil
    cdef bint bob_calls(self, int64_t raised) noexcept nogil
    cdef int64_t showdown(self) noexcept nogil
    cdef void finish_hand(self, int64_t profit, int folded_by) noexcept nogil
    cdef void finish_session(self) noexcept nogil
