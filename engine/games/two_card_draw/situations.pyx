"""What the rows of a server's strategy stand for, in the order of a strategy file, and what a generated server may do.

The constraints are those of the problem TwoCardDraw of TopCoder's Marathon Match 14.
"""

from engine.games.two_card_draw.hands cimport HIGH_CARD, RANK_OF_NUMBER
from engine.games.two_card_draw.core cimport FIRST_DRAW, FIRST_ROUND2, HANDS, HISTORIES

cdef Situation SITUATION_OF_ROW[SITUATIONS]


cdef const Situation* situations() noexcept nogil:
    """The SITUATIONS situations."""
    return SITUATION_OF_ROW


cdef void describe(int number, Situation* at) noexcept:
    cdef int rest
    cdef bint pair, best
    at.history = at.x_drew = at.y_drew = at.bets = 0
    if number < FIRST_DRAW:
        at.stage = ROUND1
        at.bets = number % 4
        rest = number // 4
    elif number < FIRST_ROUND2:
        at.stage = DRAW
        rest = number - FIRST_DRAW
        at.x_drew = rest % 3
        at.history = rest // 3 % HISTORIES
        rest //= 3 * HISTORIES
    else:
        at.stage = ROUND2
        rest = number - FIRST_ROUND2
        at.bets = rest % 4
        at.y_drew = rest // 4 % 3
        at.x_drew = rest // 12 % 3
        at.history = rest // 36 % HISTORIES
        rest //= 36 * HISTORIES
    at.hand = RANK_OF_NUMBER[rest]
    pair = at.hand >= 10
    best = at.hand == HANDS - 1
    if at.stage == DRAW:
        # The best hand draws none, other pairs none or two; a hand with a four doesn't draw two.
        at.allowed = 0b001 if best else 0b101 if pair else 0b011 if HIGH_CARD[at.hand] == 4 else 0b111
        return
    at.allowed = 1 << CALL
    if at.bets > 0 and not best:
        at.allowed |= 1 << FOLD
    if at.bets < 3:
        at.allowed |= 1 << RAISE
        if best and at.stage == ROUND2:
            at.allowed = 1 << RAISE


for number in range(SITUATIONS):
    describe(number, &SITUATION_OF_ROW[number])
