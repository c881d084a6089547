# See core.pyx for details.

cimport cython
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from engine.games.two_card_draw.hands cimport HANDS
from engine.kernel.deals cimport Stream
from engine.kernel.game_core cimport GameCore, Status

# Situations are numbered as in a strategy file: ROUND1 lines, then DRAW, then ROUND2.
cdef enum:
    HISTORIES = 7                                    # ends of round 1: no bet, or 1 to 3 bets with x or y opening
    FIRST_DRAW = HANDS * 4
    FIRST_ROUND2 = FIRST_DRAW + HANDS * HISTORIES * 3
    SITUATIONS = FIRST_ROUND2 + HANDS * HISTORIES * 9 * 4

cdef enum Question:
    INIT
    NEW_HAND
    ROUND1
    DRAW
    ROUND2
    SHOWDOWN
    START_HAND      # no question

cdef enum:          # actions
    FOLD
    CALL            # or check
    RAISE           # or bet

cdef enum Introduction:
    TO_INTRODUCE = 1    # the bot hasn't had init yet
    INTRODUCING = 2     # state while it is asked

cdef inline int history_number(int bets, bint y_opened) noexcept nogil:
    """Return the number among the HISTORIES of the end of round 1."""
    return bets + 3 if bets and y_opened else bets

cdef inline int round1_situation(int hand, int bets) noexcept nogil:
    return hand * 4 + bets

cdef inline int draw_situation(int hand, int history, int x_drew) noexcept nogil:
    return FIRST_DRAW + (hand * HISTORIES + history) * 3 + x_drew

cdef inline int round2_situation(int hand, int history, int x_drew, int y_drew, int bets) noexcept nogil:
    return FIRST_ROUND2 + (((hand * HISTORIES + history) * 3 + x_drew) * 3 + y_drew) * 4 + bets

cdef struct View:                                   # what the bot is shown, each value in the questions that have it
    int32_t bet1
    int32_t bet2
    int32_t card1
    int32_t card2
    int32_t winnings
    int32_t bets
    int32_t bets1
    int32_t bets2
    int32_t drew
    int32_t opp1
    int32_t opp2

cdef struct GameRow:
    int64_t match
    int32_t session
    uint16_t game
    uint8_t dealt_0
    uint8_t house_dealt
    uint8_t bets1
    uint8_t opened1_0
    uint8_t drew_0
    uint8_t house_drew
    uint8_t held_0
    uint8_t house_held
    uint8_t bets2
    uint8_t opened2_0
    uint8_t rounds
    uint8_t folded_by
    uint8_t pot
    int8_t gain_0

cdef struct SessionRow:
    int64_t match
    int32_t session
    uint16_t games
    int32_t gain_0
    int32_t score_0


@cython.final
cdef class CompiledStrategy:
    cdef int64_t limits[SITUATIONS][2]  # a die below the first is action 0, below the second 1


@cython.final
cdef class TwoCardDraw(GameCore):
    # Which question the decision asks says what is played next; START_HAND where none is asked.
    cdef int bet_sizes[2]               # indexed by round
    cdef CompiledStrategy server
    cdef Stream luck                    # this session's cards and dice, a block for each hand
    cdef int introduction               # bits of Introduction
    cdef int deferred                   # the question asked after that
    # the hand now played; seat x is the bot, y the server
    cdef const uint32_t* words          # words of its block, the halves LANES apart: the cards, then the server's dice
    cdef uint64_t cards                 # fraction in base 5: cards dealt to x and y, then cards to draw
    cdef int hands[2]                   # current hands, by seat
    cdef int dealt[2]                   # indexed by seat
    cdef int bets[2]                    # indexed by round
    cdef bint x_opened[2]               # indexed by round, false also without a bet
    cdef int drew[2]                    # indexed by seat
    cdef int round                      # 0, or 1 after the draw
    cdef int situation2                 # server's situation in round 2, before a bet

    cdef Status introduce(self, int64_t answer) noexcept nogil
    cdef Status advance(self, int64_t answer) noexcept nogil
    cdef Status start_hand(self) noexcept nogil
    cdef inline Status deal(self) noexcept nogil
    cdef inline uint64_t word(self, int number) noexcept nogil
    cdef Status refuse(self, int64_t answer) noexcept nogil
    cdef int server_acts(self, int situation, int die) noexcept nogil
    cdef Status server_bets1(self, int faced) noexcept nogil
    cdef Status server_bets2(self, int faced) noexcept nogil
    cdef Status show(self) noexcept nogil
    cdef Status draw_cards(self, int x_draws) noexcept nogil
    cdef int exchanged(self, int seat, int count) noexcept nogil
    cdef void hold(self, int hand) noexcept nogil
    cdef View* view(self) noexcept nogil
    cdef Status ask_bets(self, int kind, int bets) noexcept nogil
    cdef void show_again(self) noexcept nogil
    cdef Status settle(self, int folded_by) noexcept nogil
    cdef Status finish_session(self) noexcept nogil
