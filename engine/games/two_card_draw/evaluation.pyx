"""What a server's strategy of two-card draw is worth, exactly."""

cimport cython

from engine.games.two_card_draw.core cimport HISTORIES
from engine.games.two_card_draw.hands cimport HANDS, RANK
from engine.games.two_card_draw.tree cimport FIXED, PERFECT, TREMBLE, DrawTree, Strategy

import numpy as np

cdef enum:
    ROWS = HANDS * (4 + HISTORIES + HISTORIES * 9 * 4)

# Rows of a bot's strategy.
BOT_SITUATIONS = ROWS


cdef void list_rows(Strategy* bot, double** rows) noexcept nogil:
    """The probability of each row's first action; the others come HANDS further on each."""
    cdef int number, history, x_drew, y_drew, bets
    for number in range(HANDS):
        for bets in range(4):
            rows[0] = &bot.round1[bets][0][RANK[number]]
            rows += 1
    for number in range(HANDS):
        for history in range(HISTORIES):
            rows[0] = &bot.drawing[history][0][0][RANK[number]]
            rows += 1
    for number in range(HANDS):
        for history in range(HISTORIES):
            for x_drew in range(3):
                for y_drew in range(3):
                    for bets in range(4):
                        rows[0] = &bot.round2[history][x_drew][y_drew][bets][0][RANK[number]]
                        rows += 1


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
    cdef double* rows[ROWS]     # of the bot

    def __init__(self, const double[:, ::1] strategy, double bet1, double bet2, double tremble=0.001):
        self.tree = DrawTree(bet1, bet2, tremble)
        self.tree.read_server(strategy)
        list_rows(&self.tree.bot, self.rows)

    def value(self):
        """What the server wins per hand against a perfect opponent."""
        self.tree.mode = PERFECT
        return -self.tree.value()

    def trembling_value(self):
        """What the server wins per hand against the trembling opponent."""
        self.tree.mode = TREMBLE
        return -self.tree.value()

    def best_response(self):
        """The perfect opponent's strategy."""
        cdef int number, action
        self.value()
        found = np.zeros((ROWS, 3))
        cdef double[:, ::1] chances = found
        for number in range(ROWS):
            for action in range(3):
                chances[number, action] = self.rows[number][action * HANDS]
        return found

    def expectation(self, const double[:, ::1] bot):
        """What a bot of this strategy wins per hand against the server."""
        cdef int number, action
        if bot.shape[0] != ROWS or bot.shape[1] != 3:
            raise ValueError(f"a bot's strategy has {ROWS} rows of 3")
        for number in range(ROWS):
            for action in range(3):
                self.rows[number][action * HANDS] = bot[number, action]
        self.tree.mode = FIXED
        return self.tree.value()
