"""The value of a leg's cards for seat 0: a sum with mean zero, by values that are fixed before each game.

A game's correction is x's usual gain with its cards, by the roles and by sixteenths of both cards, less the mean over
all cards. Usual gains are learned from the earlier blocks of sessions of the same two bots, beginning with von
Neumann's solution for a bet of twenty. So the sum is a martingale, whatever bots remember of the cards. It is a control
variate as in AIVAT (N. Burch, M. Schmid, M. Moravčík, D. Morrill and M. Bowling, "AIVAT: A New Variance Reduction
Technique for Agent Evaluation in Imperfect Information Games", 2018). A dollar is worth 1/√g points, where g is the
mean number of games of the sessions in earlier blocks. Dividing by a session's own number would be biased.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.von_neumann_poker.card_cells import CELLS_A_SIDE, CellSums
from engine.kernel.blocks import block_sizes, block_starts
from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.von_neumann_poker.rules import LUCK_COLUMNS

_USUAL_GAMES = 5.0  # games of a cell that its initial usual gain counts for
_USUAL_LENGTH, _USUAL_SESSIONS = 25.0, 10.0  # initial games of a session, and how many sessions they count for
# Points per dollar, in units of 1/√g: more than 1, because short sessions count for more.
_SCALE = 1.1


class LegsLuck:
    """Computes the luck of legs, in points of seat 0.

    Args:
        sessions: Number of sessions of each leg.
    """

    def __init__(self, sessions: int) -> None:
        usual = usual_gains(), _USUAL_GAMES, _USUAL_LENGTH, _USUAL_SESSIONS
        played = np.flatnonzero(block_sizes(sessions))
        self._cells = CellSums(sessions, played, block_starts(sessions)[played], *usual, _SCALE)
        self._legs = 0

    def add(
        self, games: Mapping[str, npt.NDArray[Any]], first_rows: Sequence[int], first_sessions: Sequence[int]
    ) -> None:
        """Add the next games, in any pieces.

        Args:
            games: The games, by column.
            first_rows: The rows at which further legs begin, ascending. Rows before the first of them belong to the leg
                that began last.
            first_sessions: Number of the first session of each of these legs.

        Raises:
            ValueError: A session belongs to another leg, a card isn't one, or the legs don't follow each other.
        """
        legs = np.array(first_rows, np.int64), np.array(first_sessions, np.int64)
        self._cells.add(*legs, *[np.ascontiguousarray(games[name]) for name in LUCK_COLUMNS])
        self._legs += len(first_rows)

    def blocks(self) -> Floats:
        """Return the value of luck for seat 0, in points: a row for each leg as added, with its BLOCK_COUNT blocks."""
        luck = np.empty((self._legs, BLOCK_COUNT))
        self._cells.write_luck(luck)
        return luck


@cache
def usual_gains() -> Floats:
    """Return seat 0's mean gain in dollars by cell, in von Neumann's solution for a pot and a bet of twenty dollars.

    Cells are numbered by whether seat 0 is A, then by sixteenths of A's card, then by sixteenths of B's card. The first
    half is seat 0 as B. The array is cached, so callers must not change it.

    A bets with a card below 1/9 or above 7/9, and B calls above 5/9. The gain is a mean over 81 points of a cell.
    """
    parts = 9
    middles = (np.arange(CELLS_A_SIDE * parts) + 0.5) / (CELLS_A_SIDE * parts)
    a, b = middles[:, np.newaxis], middles
    sign = np.sign(a - b)
    gain = np.where((a < 1 / 9) | (a > 7 / 9), np.where(b > 5 / 9, 30 * sign, 10.0), 10 * sign)
    means = gain.reshape(CELLS_A_SIDE, parts, CELLS_A_SIDE, parts).mean(axis=(1, 3)).ravel()
    return np.concatenate([-means, means])
