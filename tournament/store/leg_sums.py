"""What a leg brought a seat, as workers report it and records keep it, from the core's sums by block of sessions.

One leg shows by its blocks what other sessions would have brought (batch means: A. Law and J. Carson, "A Sequential
Procedure for Determining the Length of a Steady-State Simulation", 1979). Legs of a duplicate match that share their
deals depend on each other, so their blocks are added up first. Of blocks only these variances are kept.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import batch_means
from engine.kernel.blocks import block_sizes
from tournament.arrays import Floats, Whole


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


def sums_of_legs(totals: Floats, lengths: Whole, luck: Floats | None = None) -> Floats:
    """Return the LegSums of each seat of legs: by leg, seat and field.

    Args:
        totals: By leg and seat a core's sums: the points, their squares, and the points by block.
        lengths: Sessions that the blocks of each leg divide, or games where games are scored; 0 for a leg that a fault
            ended.
        luck: What luck was worth to the first seat by leg and block, of a zero-sum game of two, or against a house
            player.
    """
    sums = np.empty((*totals.shape[:2], len(LegSums._fields)))
    for length in {*lengths.tolist()}:
        own = np.flatnonzero(lengths == length)
        found, (used, shares) = np.empty((len(own), *sums.shape[1:])), _used_and_shares(length)
        of_luck = None if luck is None else luck[own]
        in_all = None if of_luck is None else np.array([math.fsum(blocks) for blocks in of_luck.tolist()])
        batch_means.sums_of_legs(totals[own], shares, used, of_luck, in_all, found)
        sums[own] = found
    return sums


def share_variances(
    sums: Floats,
    totals: Floats,
    lengths: Whole,
    luck: Floats | None,
    deals: npt.NDArray[np.complex128],
    legs_of_deals: int,
) -> None:
    """Give legs that share their deals each an equal part of the variances of what they add up to.

    Args:
        sums: The sums of each leg alone, which are changed.
        totals: As in `sums_of_legs`.
        lengths: As in `sums_of_legs`.
        luck: As in `sums_of_legs`.
        deals: The deals of each leg, those that share theirs one after the other. If some of them aren't here, or were
            cut short, the others keep their own variances.
        legs_of_deals: How many legs share their deals.
    """
    firsts = np.flatnonzero(np.append(True, deals[1:] != deals[:-1]))
    firsts = firsts[np.diff(firsts, append=len(deals)) == legs_of_deals]
    several = firsts[:, np.newaxis] + np.arange(legs_of_deals)
    several = several[(lengths[several] == lengths[several[:, :1]]).all(axis=1)]
    if len(several):
        added = np.array(
            [[[math.fsum(one) for one in zip(*seat)] for seat in zip(*totals[own].tolist())] for own in several]
        )
        all_luck = None if luck is None else luck[several].sum(axis=1)
        of_all = sums_of_legs(added, lengths[several[:, 0]], all_luck)[:, np.newaxis, :, 3:]
        sums[several, :, 3:] = 1 / legs_of_deals * of_all


@lru_cache
def _used_and_shares(length: int) -> tuple[int, list[float]]:
    """How many blocks of a leg have sessions, and the share of them that each has."""
    sizes = block_sizes(length)
    return int(np.count_nonzero(sizes)), (sizes / max(length, 1)).tolist()
