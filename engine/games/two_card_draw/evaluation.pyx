"""What a server's strategy of two-card draw is worth, exactly."""

cimport cython

from engine.games.two_card_draw.tree cimport PERFECT, TREMBLE, DrawTree


@cython.final
cdef class StrategyEvaluator:
    """Values of a server's strategy in chips a hand, with antes of 1 and bets of `bet1` and `bet2`.

    `strategy` has SITUATION_COUNT rows of three probabilities in a strategy
    file's order. `tremble` is the probability of each wrong action of the trembling
    opponent. Raises ValueError for another shape.
    """

    cdef DrawTree tree

    def __init__(self, const double[:, ::1] strategy, double bet1, double bet2, double tremble=0.001):
        self.tree = DrawTree(bet1, bet2, tremble)
        self.tree.read_server(strategy)

    def value(self):
        """What the server wins per hand against a perfect opponent."""
        self.tree.mode = PERFECT
        return -self.tree.value()

    def trembling_value(self):
        """What the server wins per hand against the trembling opponent."""
        self.tree.mode = TREMBLE
        return -self.tree.value()
