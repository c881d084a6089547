"""Exact values of servers' strategies of two-card draw."""

cimport cython

from engine.games.two_card_draw.tree cimport PERFECT, TREMBLE, DrawTree


@cython.final
cdef class StrategyEvaluator:
    """Values of a server's strategy in chips per hand, with antes of 1.

    Args:
        strategy: SITUATION_COUNT rows of three probabilities in a strategy file's order.
        bet1: Bet of round 1, in chips.
        bet2: Bet of round 2, in chips.
        tremble: Probability of each wrong action of the trembling opponent.

    Raises:
        ValueError: The strategy has another shape.
    """

    cdef DrawTree tree

    def __init__(self, const double[:, ::1] strategy, double bet1, double bet2, double tremble=0.001):
        self.tree = DrawTree(bet1, bet2, tremble)
        self.tree.read_server(strategy)

    def value(self):
        """Return the server's win per hand against a perfect opponent, in chips."""
        self.tree.mode = PERFECT
        return -self.tree.value()

    def trembling_value(self):
        """Return the server's win per hand against the trembling opponent, in chips."""
        self.tree.mode = TREMBLE
        return -self.tree.value()
