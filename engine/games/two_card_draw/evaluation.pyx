"""What a server's strategy of two-card draw is worth, exactly."""

cimport cython

from engine.games.two_card_draw.betting cimport FIXED, PERFECT, TREMBLE
from engine.games.two_card_draw.hands cimport RANK_OF_NUMBER
from engine.games.two_card_draw.tree cimport BOT, SERVER, DrawTree, Strategy, read_server
from engine.games.two_card_draw.core cimport HANDS, HISTORIES

import numpy as np

cdef enum:
    FIRST_DRAW = HANDS * 4
    FIRST_ROUND2 = FIRST_DRAW + HANDS * HISTORIES
    ROWS = FIRST_ROUND2 + HANDS * HISTORIES * 36

# Rows of a bot's strategy.
BOT_SITUATIONS = ROWS


cdef double* bot_row(Strategy* bot, int number) noexcept nogil:
    """The probability of a row's first action; the others come HANDS further on each."""
    cdef int rest
    if number < FIRST_DRAW:
        return &bot.round1[number % 4][0][RANK_OF_NUMBER[number // 4]]
    if number < FIRST_ROUND2:
        rest = number - FIRST_DRAW
        return &bot.drawing[rest % HISTORIES][0][0][RANK_OF_NUMBER[rest // HISTORIES]]
    rest = number - FIRST_ROUND2
    return &bot.round2[rest // 36 % HISTORIES][rest // 12 % 3][rest // 4 % 3][rest % 4][0][
        RANK_OF_NUMBER[rest // (36 * HISTORIES)]
    ]


cdef void read_bot(Strategy* into, const double[:, ::1] rows) except *:
    """Take a bot's strategy from its rows. Raises ValueError for another shape."""
    cdef int number, action
    cdef double* row
    if rows.shape[0] != ROWS or rows.shape[1] != 3:
        raise ValueError(f"a bot's strategy has {ROWS} rows of 3")
    for number in range(ROWS):
        row = bot_row(into, number)
        for action in range(3):
            row[action * HANDS] = rows[number, action]


cdef object bot_rows(Strategy* bot):
    """A bot's strategy as rows."""
    cdef int number, action
    cdef double* row
    found = np.zeros((ROWS, 3))
    cdef double[:, ::1] rows = found
    for number in range(ROWS):
        row = bot_row(bot, number)
        for action in range(3):
            rows[number, action] = row[action * HANDS]
    return found


@cython.final
cdef class StrategyEvaluator:
    """Values of a server's strategy in chips a hand, with antes of 1 and bets of `bet1` and `bet2`.

    `strategy` has SITUATION_COUNT rows of three probabilities in a strategy
    file's order. `tremble` is the probability of each wrong action of the trembling
    opponent. Raises ValueError for another shape.

    A bot's strategy has BOT_SITUATIONS rows of three probabilities: fold, call or check,
    raise or bet, by hand and bets faced in round 1; draw 0, 1, 2 by hand and
    history; round 2 by hand, history, what bot and server drew, bets faced.
    """

    cdef DrawTree tree

    def __init__(self, const double[:, ::1] strategy, double bet1, double bet2, double tremble=0.001):
        self.tree = DrawTree(bet1, bet2, tremble)
        read_server(self.tree.players[SERVER], strategy)

    def value(self):
        """What the server wins per hand against a perfect opponent."""
        self.tree.decider.mode = PERFECT
        return -self.tree.value()

    def trembling_value(self):
        """What the server wins per hand against the trembling opponent."""
        self.tree.decider.mode = TREMBLE
        return -self.tree.value()

    def best_response(self):
        """The perfect opponent's strategy."""
        self.value()
        return bot_rows(self.tree.players[BOT])

    def expectation(self, const double[:, ::1] bot):
        """What a bot of this strategy wins per hand against the server."""
        read_bot(self.tree.players[BOT], bot)
        self.tree.decider.mode = FIXED
        return self.tree.value()

    def best_answer(self, const double[:, ::1] bot):
        """What the best server wins per hand against a bot of this strategy."""
        cdef Strategy kept = self.tree.players[SERVER][0]
        cdef double value
        read_bot(self.tree.players[BOT], bot)
        self.tree.decider.mode = PERFECT
        value = self.tree.answer()
        self.tree.players[SERVER][0] = kept
        return value
