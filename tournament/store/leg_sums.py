"""What a leg brought a seat, as workers report it and records keep it, from the core's sums by block of sessions.

One leg shows by its blocks what other sessions would have brought (batch means: A. Law and J. Carson, "A Sequential
Procedure for Determining the Length of a Steady-State Simulation", 1979). Of blocks only these variances are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.kernel.blocks import block_sizes
from engine.kernel.sums import SeatSums
from tournament.arrays import Floats


class LegSums(NamedTuple):
    """A seat's sums over one leg.

    Attributes:
        points: What the seat won, in the contest's points.
        squared_points: Sum of the squares of its points by session.
        luck: What luck was worth to the seat, in points; 0 in a contest without a correction.
        variance: Variance of `points` over other sessions, by batch means; 0 if the leg has fewer than two sessions
            (games, where games are scored), or a fault ended it.
        adjusted_variance: The same of `points` − `luck`.
        covariance: Covariance of `points` with those of the next seat, after the last one the first; in a zero-sum game
            of two it is −`variance`.
    """

    points: float
    squared_points: float
    luck: float = 0.0
    variance: float = 0.0
    adjusted_variance: float = 0.0
    covariance: float = 0.0

    def opposite(self) -> LegSums:
        """The other seat's sums in a zero-sum game of two."""
        return self._replace(points=0.0 - self.points, luck=0.0 - self.luck)


def leg_sums(seats: Sequence[SeatSums], length: int, luck: Floats | None = None) -> tuple[LegSums, ...]:
    """Return the sums of each seat.

    Args:
        seats: The core's sums.
        length: Sessions that the blocks divide, or games where games are scored; 0 for a leg that a fault ended.
        luck: What luck was worth to the first seat by block, of a zero-sum game of two, or against a house player.
    """
    blocks = np.array([seat.blocks for seat in seats])
    spread = _covariances(blocks, length)
    if luck is None:
        worth, adjusted = [0.0] * len(seats), spread
    else:
        lucky = math.fsum(luck.tolist())
        worth = [lucky, 0.0 - lucky][: len(seats)]
        adjusted = _covariances(blocks - np.array([[1.0], [-1.0]])[: len(seats)] * luck, length)
    return tuple(
        LegSums(
            seat.points,
            seat.squared_points,
            worth[number],
            spread[number][number],
            adjusted[number][number],
            spread[number][(number + 1) % len(seats)],
        )
        for number, seat in enumerate(seats)
    )


def _covariances(blocks: Floats, length: int) -> list[list[float]]:
    """The covariances of the sums of the rows of blocks, over other sessions."""
    sizes = block_sizes(length)
    used = int(np.count_nonzero(sizes))
    if used < 2:
        return [[0.0] * len(blocks)] * len(blocks)
    apart = blocks - blocks.sum(axis=1)[:, np.newaxis] * (sizes / length)
    # Neither by @ nor by einsum: they may round otherwise on another processor.
    products = np.add.reduce(apart[:, np.newaxis] * apart, axis=2)
    found: list[list[float]] = (products * (used / (used - 1))).tolist()
    return found
