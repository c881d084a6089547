"""The best strategies of two-card draw, of server and bot, by CFR+.

O. Tammelin, "Solving large imperfect information games using CFR+", 2014.
"""

cimport cython
from libc.stdint cimport int64_t

from engine.games.two_card_draw.betting cimport LEARN, Actions
from engine.games.two_card_draw.evaluation cimport bot_rows
from engine.games.two_card_draw.situations cimport FOLD, RAISE
from engine.games.two_card_draw.tree cimport BOT, SERVER, DrawTree, Strategy, server_rows
from engine.games.two_card_draw.core cimport HANDS, HISTORIES

cdef enum:
    DECISIONS = 4 + HISTORIES * 3 + HISTORIES * 9 * 4    # Actions of a Strategy
    FIRST_ROUND2 = 4 + HISTORIES * 3


cdef void make_uniform(Strategy* strategy) noexcept:
    """Make all legal actions equally likely."""
    cdef Actions* acts = <Actions*>strategy
    cdef int number, action, hand
    cdef bint drawing, free, last
    for number in range(DECISIONS):
        drawing = 4 <= number < FIRST_ROUND2
        # The bets faced come last in the order of betting decisions.
        free = not drawing and (number if number < 4 else number - FIRST_ROUND2) % 4 == 0
        last = not drawing and (number if number < 4 else number - FIRST_ROUND2) % 4 == 3
        for hand in range(HANDS):
            for action in range(3):
                if (free and action == FOLD) or (last and action == RAISE):
                    acts[number][action][hand] = 0
                else:
                    acts[number][action][hand] = 0.5 if free or last else 1.0 / 3


cdef void average(const Strategy* sums, Strategy* into) noexcept:
    """The mean of summed strategies; uniform where none of them reached."""
    cdef const Actions* summed = <const Actions*>sums
    cdef Actions* acts = <Actions*>into
    cdef int number, action, hand
    cdef double total
    make_uniform(into)
    for number in range(DECISIONS):
        for hand in range(HANDS):
            total = summed[number][0][hand] + summed[number][1][hand] + summed[number][2][hand]
            if total > 0:
                for action in range(3):
                    acts[number][action][hand] = summed[number][action][hand] / total


@cython.final
cdef class EquilibriumSolver:
    """Strategies that get nearer to an equilibrium with every iteration, for bets of `bet1` and `bet2`."""

    cdef DrawTree tree
    cdef int64_t done

    def __init__(self, double bet1, double bet2):
        self.tree = DrawTree(bet1, bet2, 0)
        self.tree.learn()
        self.tree.decider.mode = LEARN
        make_uniform(self.tree.players[SERVER])
        make_uniform(self.tree.players[BOT])

    def iterate(self, int64_t iterations):
        """Do so many more iterations; returns the average (server, bot) strategies.

        Rows are as `evaluation.StrategyEvaluator` takes them. Each iteration is weighted by its number.
        """
        cdef Strategy mean
        with nogil:
            for _ in range(iterations):
                self.done += 1
                self.tree.weight = <double>self.done
                self.tree.value()
                self.tree.answer()
        average(self.tree.sums[SERVER], &mean)
        server = server_rows(&mean)
        average(self.tree.sums[BOT], &mean)
        return server, bot_rows(&mean)
