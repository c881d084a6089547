"""What a leg brought a seat, as workers report it and records keep it, from the core's sums by block of sessions.

One leg shows by its blocks what other sessions would have brought (batch means: A. Law and J. Carson, "A Sequential
Procedure for Determining the Length of a Steady-State Simulation", 1979). Legs of a duplicate match that share their
deals depend on each other, so their blocks are added up first. Of blocks only these variances are kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from engine.kernel.batch_means import batch_means
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
            (games, where games are scored), or a fault ended it. Legs that share their deals each have an equal part of
            the variance of their sum.
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
    used, shares = _used_and_shares(length)
    of_first = None if luck is None else luck.tolist()
    lucky = 0.0 if of_first is None else math.fsum(of_first)
    worth = (lucky, 0.0 - lucky) if of_first else [0.0] * len(seats)
    spread = batch_means([seat.blocks for seat in seats], shares, used, of_first)
    return tuple(
        [
            LegSums(seat.points, seat.squared_points, luck_of_seat, variance, adjusted, covariance)
            for seat, luck_of_seat, (variance, adjusted, covariance) in zip(seats, worth, spread)
        ]
    )


def sums_of_deal(
    legs: Sequence[tuple[LegSums, ...]],
    blocks: Sequence[Sequence[SeatSums]],
    length: int,
    luck: Sequence[Floats | None],
) -> list[tuple[LegSums, ...]]:
    """Return the sums of legs that share their deals, each with an equal part of the variances of what they add up to.

    Args:
        legs: The sums of each leg alone.
        blocks: The core's sums of each leg.
        length: Sessions of a leg, which the blocks divide.
        luck: What luck was worth to the first seat by block, in each leg.
    """
    known = [one for one in luck if one is not None]
    added = [
        SeatSums(0.0, 0.0, tuple(map(math.fsum, zip(*(seat.blocks for seat in several))))) for several in zip(*blocks)
    ]
    of_all = leg_sums(added, length, np.sum(known, axis=0) if known else None)
    share = 1 / len(legs)
    return [
        tuple(
            own._replace(
                variance=share * both.variance,
                adjusted_variance=share * both.adjusted_variance,
                covariance=share * both.covariance,
            )
            for own, both in zip(leg, of_all)
        )
        for leg in legs
    ]


@lru_cache
def _used_and_shares(length: int) -> tuple[int, list[float]]:
    """How many blocks of a leg have sessions, and the share of them that each has."""
    sizes = block_sizes(length)
    return int(np.count_nonzero(sizes)), (sizes / max(length, 1)).tolist()
