"""Sums of a seat over a leg, for workers and records, from the core's sums by block of sessions.

The blocks of one leg show how much its points would differ in other sessions (batch means: A. Law and J. Carson, "A
Sequential Procedure for Determining the Length of a Steady-State Simulation", 1979). Legs of a duplicate match that
share their deals depend on each other, so their blocks are added first. The records keep only the variances.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from engine.kernel import batch_means
from engine.kernel.blocks import block_sizes
from tournament.arrays import Floats, Ints


class LegSums(NamedTuple):
    """Sums of a seat over one leg.

    Attributes:
        points: Points of the seat, in the contest's unit.
        squared_points: Sum over sessions of the squares of the seat's points.
        luck: Points of the seat that are due to luck; 0 in a contest without a correction.
        variance: Variance of `points` over other sessions, by batch means. It is 0 if the leg has fewer than two
            sessions (games, if games are scored), or a fault ended it. Legs that share their deals each have an equal
            part of the variance of their sum.
        adjusted_variance: Variance of `points` − `luck`, computed as `variance` is.
        covariance: Covariance of `points` with those of the next seat; of the last seat, with the first. In a zero-sum
            game of two it is −`variance`.
    """

    points: float
    squared_points: float
    luck: float = 0.0
    variance: float = 0.0
    adjusted_variance: float = 0.0
    covariance: float = 0.0

    def opposite(self) -> LegSums:
        """Return the sums of the other seat in a zero-sum game of two."""
        return self._replace(points=0.0 - self.points, luck=0.0 - self.luck)


def compute_leg_sums(totals: Floats, lengths: Ints, luck: Floats | None = None) -> Floats:
    """Return the sums of each seat of legs, by leg, seat and field of LegSums.

    Args:
        totals: A core's sums by leg and seat: points, their squares, and points by block.
        lengths: Number of sessions that the blocks of each leg divide (games, if games are scored); 0 for a leg that a
            fault ended.
        luck: Points due to luck of the first seat, by leg and block, in a zero-sum game of two or against a house
            player; None without a correction.
    """
    sums = np.empty((*totals.shape[:2], len(LegSums._fields)))
    for length in {*lengths.tolist()}:
        indices = np.flatnonzero(lengths == length)
        results, (used, shares) = np.empty((len(indices), *sums.shape[1:])), _used_and_shares(length)
        luck_by_block = None if luck is None else luck[indices]
        luck_sums = None if luck_by_block is None else np.array([math.fsum(one) for one in luck_by_block.tolist()])
        batch_means.sums_of_legs(totals[indices], shares, used, luck_by_block, luck_sums, results)
        sums[indices] = results
    return sums


def share_variances(
    sums: Floats,
    totals: Floats,
    lengths: Ints,
    luck: Floats | None,
    deals: npt.NDArray[np.complex128],
    legs_per_deal: int,
) -> None:
    """Give legs that share their deals an equal part each of the variances and covariances of their sum.

    Args:
        sums: Sums of each leg by itself, which are changed.
        totals: A core's sums by leg and seat: points, their squares, and points by block.
        lengths: Number of sessions, or games, that the blocks of each leg divide.
        luck: Points due to luck of the first seat, by leg and block; None without a correction.
        deals: Key of each leg's deals. Legs that share their deals are adjacent. If some of them are missing or were
            cut short, the others keep their own variances.
        legs_per_deal: Number of legs that share their deals.
    """
    firsts = np.flatnonzero(np.append(True, deals[1:] != deals[:-1]))
    firsts = firsts[np.diff(firsts, append=len(deals)) == legs_per_deal]
    groups = firsts[:, np.newaxis] + np.arange(legs_per_deal)
    groups = groups[(lengths[groups] == lengths[groups[:, :1]]).all(axis=1)]
    if len(groups):
        added = np.array(
            [[[math.fsum(one) for one in zip(*seat)] for seat in zip(*totals[group].tolist())] for group in groups]
        )
        all_luck = None if luck is None else luck[groups].sum(axis=1)
        variances = compute_leg_sums(added, lengths[groups[:, 0]], all_luck)[:, np.newaxis, :, 3:]
        sums[groups, :, 3:] = 1 / legs_per_deal * variances


@lru_cache
def _used_and_shares(length: int) -> tuple[int, list[float]]:
    """Return the number of blocks of a leg that have sessions, and each block's share of the sessions."""
    sizes = block_sizes(length)
    return int(np.count_nonzero(sizes)), (sizes / max(length, 1)).tolist()
