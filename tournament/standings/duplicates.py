"""The effect of duplicate matches: the variance of their sums, relative to that of independent legs."""

from __future__ import annotations

import numpy as np

from tournament.standings.standard_errors import summed
from tournament.store.legs import Legs

# Minimum degrees of freedom, with which the ratio is known to about 10%. With fewer, verdicts would often be wrong.
_MIN_FREEDOM = 100


def relative_variance(legs: Legs, legs_per_replica: int) -> float | None:
    """Return the variance of sums over duplicate matches, as a multiple of that over independent legs.

    The rotations of a replica share their deals, so their sum varies differently from a sum over the same number of
    independent legs. Replicas show both variances.

    Args:
        legs: Legs in order, of matches with the same bots in all replicas. Matches with one replica or an incomplete
            one are omitted.
        legs_per_replica: Number of legs that share their deals. 1 if matches aren't duplicate.

    Returns:
        The multiple, over all matches. Below 1, duplicate matches reduce the variance. None if matches aren't
        duplicate, if replicas have fewer than 100 degrees of freedom together, or if legs don't vary.
    """
    if legs_per_replica == 1 or not len(legs):
        return None
    ranges = legs.matches()
    counts = np.diff(ranges).ravel()
    complete = (counts % legs_per_replica == 0) & (counts > legs_per_replica)
    legs = legs.take(np.flatnonzero(np.repeat(complete, counts)))
    freedom = (counts[complete] // legs_per_replica - 1).sum()
    if freedom < _MIN_FREEDOM:
        return None
    points = np.stack([legs.seat_columns(seat).points for seat in range(legs.seats)], axis=1)
    # A row for each rotation of each match, whose replicas are compared.
    row = np.repeat(np.cumsum(complete[complete]) - 1, counts[complete]) * legs_per_replica + (
        legs.number % legs_per_replica
    )
    order = np.argsort(row, kind="stable")
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    replicas = np.diff(first, append=len(row))
    residuals = np.empty_like(points)
    residuals[order] = points[order] - np.repeat(
        summed(points[order], first) / replicas[:, np.newaxis], replicas, axis=0
    )
    weights = 1 / (np.repeat(counts[complete], counts[complete]) // legs_per_replica - 1)[:, np.newaxis]
    independent = float((residuals * residuals * weights).sum())
    starts = np.arange(0, len(legs), legs_per_replica)
    shared = float((summed(residuals, starts) ** 2 * weights[starts]).sum())
    return shared / independent if independent else None
