"""The value of luck in a session of Hold'em training: the cards, and Bob's dice before the flop.

A hand's luck is a sum of controls, each times a weight that is known before the hand. Controls are numbers of mean zero
however Alice plays, listed in `engine.games.holdem_training.luck`. So the luck's mean is zero, and the score without it
has the same expectation. The controls of the pot are the martingale of AIVAT (N. Burch, M. Schmid, M. Moravčík,
D. Morrill and M. Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect Information
Games", 2018) for hands that are checked down from where they are. They can't see how later bets depend on the cards.
The weights make up for that, and so do the controls that compare hands. The weights are those that would have left the
least variance in the earlier hands of the session (control variates by ridge regression: S. Lavenberg and P. Welch,
1981).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.holdem_training.luck import CONTROLS, add_hands, solve
from engine.kernel.blocks import block_starts
from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.holdem_training.rules import LUCK_COLUMNS

# The initial weights, and how much of the controls' squares, in chips, they count for.
_USUAL = np.array([1.0] * 5 + [0.0] * 6)
_FIRMNESS = np.array([2000.0] * 5 + [5.0] * 6)


_LEARNED_BEFORE = [1, 2, 4, 8, 16]  # blocks


class LegsLuck:
    """Computes the luck of sessions, each of which is a leg.

    Args:
        hands: Number of hands of each session.
    """

    def __init__(self, hands: int) -> None:
        self._hands = hands
        self._legs: list[_LegLuck] = []

    def add(
        self, games: Mapping[str, npt.NDArray[Any]], first_rows: Sequence[int], first_sessions: Sequence[int]
    ) -> None:
        """Add the next hands, in any pieces.

        Args:
            games: The hands, by column.
            first_rows: The rows at which further legs begin, ascending. Rows before the first of them belong to the leg
                that began last. With the first hands of all, it starts with 0.
            first_sessions: Ignored, because each leg is one session.

        Raises:
            ValueError: A hand isn't possible in the game, or a session has more hands than `hands`.
        """
        edges = [*first_rows, len(games["profit"])]
        if edges[0]:
            self._legs[-1].add({name: column[: edges[0]] for name, column in games.items()})
        for first, end in itertools.pairwise(edges):
            self._legs.append(_LegLuck(self._hands))
            self._legs[-1].add({name: column[first:end] for name, column in games.items()})

    def blocks(self) -> Floats:
        """Return the value of luck for the bot, in chips: a row for each leg as added, with its BLOCK_COUNT blocks.

        A leg of which only one hand was added has 0 in all blocks, because the first hand is computed with the second.
        """
        return np.array([leg.luck for leg in self._legs]).reshape(-1, BLOCK_COUNT)


class _LegLuck:
    """Computes the luck of a session's hands, with weights that it learns from earlier hands.

    Attributes:
        hands: Number of hands of the session.
        played: Number of hands that were computed so far.
        luck: Value of luck for the bot so far, in chips, by block.
    """

    def __init__(self, hands: int) -> None:
        self.hands = hands
        self.played = 0
        self.luck = np.zeros(BLOCK_COUNT)
        self._next = [start for start in block_starts(hands)[_LEARNED_BEFORE].tolist() if start > 1]
        self._first: list[npt.NDArray[Any]] = []  # the first hand, which comes with the second
        self._moments = np.zeros((CONTROLS + 2, CONTROLS + 2))
        self._weights = _USUAL
        self._shuffle = 0

    def add(self, games: Mapping[str, npt.NDArray[Any]]) -> None:
        """Add the next hands, by column, in any pieces. A first hand alone is kept until the second one is added.

        Raises:
            ValueError: A hand isn't possible in the game, or there are more hands than the session has.
        """
        joined = [np.ascontiguousarray(games[name]) for name in LUCK_COLUMNS]
        if self._first:
            joined = [np.concatenate(both) for both in zip(self._first, joined)]
        self._first = [] if self.played + len(joined[0]) > 1 else [column.copy() for column in joined]
        if self._first:
            return
        *columns, profit = joined
        for piece in self._pieces(len(profit)):
            hands = [column[piece] for column in columns]
            self._shuffle = add_hands(
                hands, profit[piece], self.played, self.hands, self._shuffle, self._weights, self._moments, self.luck
            )

    def _pieces(self, rows: int) -> Iterator[slice]:
        """Yield slices of the next hands in order, and count each as played once its successor is requested.

        Between slices, at the beginnings of some blocks, the weights are learned again.

        Args:
            rows: Number of the next hands.
        """
        row = 0
        while row < rows:
            while self._next and self.played == self._next[0]:
                self._next.pop(0)
                self._weights = best_weights(self._moments)
            end = min(rows, row + self._next[0] - self.played) if self._next else rows
            yield slice(row, end)
            self.played += end - row
            row = end


def best_weights(moments: Floats) -> Floats:
    """Return the weights that leave the least variance of the profit, near the usual ones while few hands are known.

    Args:
        moments: Sums of products of 1, the controls and the profit in chips, in this order of rows and columns. Only
            values on and above the diagonal count.

    Returns:
        A weight for each control, in their order. With fewer than two hands it is the module's array of initial
        weights, which callers must not change.
    """
    count = moments[0, 0]
    if count < 2:
        return _USUAL
    sums = moments[0, 1:]
    full = moments[1:, 1:] + np.triu(moments[1:, 1:], 1).T - np.outer(sums, sums) / count
    squares = full[:-1, :-1] + np.diag(_FIRMNESS)
    equations = np.column_stack([squares, full[:-1, -1] + _FIRMNESS * _USUAL])
    solve(equations)
    return equations[:, -1].copy()
