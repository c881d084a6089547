"""What duplicate matches bring: the variance of their sums, against that of as many independent replicas."""

from __future__ import annotations

import numpy as np

from tournament.standings.standard_errors import summed
from tournament.store.legs import Legs

# Degrees of freedom, from which on a share is known to about 10%: with fewer it would often be called wrong.
_LEAST_FREEDOM = 100


def relative_variance(legs: Legs, legs_per_replica: int) -> float | None:
    """Return the variance of what bots win in a duplicate match, as a multiple of that of as many independent legs.

    The rotations of a replica have the same deals, so what they add up to varies otherwise than independent legs do.
    Replicas show both variances.

    Args:
        legs: Legs in order, of matches of the same bots in all replicas.
        legs_per_replica: Number of legs that share their deals.

    Returns:
        The multiple, over all matches; None if matches aren't duplicate, or if there are too few replicas to tell.
    """
    if legs_per_replica == 1 or not len(legs):
        return None
    ranges = legs.matches()
    counts = np.diff(ranges).ravel()
    complete = (counts % legs_per_replica == 0) & (counts > legs_per_replica)
    legs = legs.chosen(np.flatnonzero(np.repeat(complete, counts)))
    freedom = (counts[complete] // legs_per_replica - 1).sum()
    if freedom < _LEAST_FREEDOM:
        return None
    points = np.stack([legs.of_seat(seat).points for seat in range(legs.seats)], axis=1)
    # A row for each rotation of each match, whose replicas are to be compared.
    row = np.repeat(np.cumsum(complete[complete]) - 1, counts[complete]) * legs_per_replica + (
        legs.number % legs_per_replica
    )
    order = np.argsort(row, kind="stable")
    first = np.flatnonzero(np.diff(row[order], prepend=-1))
    replicas = np.diff(first, append=len(row))
    apart = np.empty_like(points)
    apart[order] = points[order] - np.repeat(summed(points[order], first) / replicas[:, np.newaxis], replicas, axis=0)
    weights = 1 / (np.repeat(counts[complete], counts[complete]) // legs_per_replica - 1)[:, np.newaxis]
    independent = float((apart * apart * weights).sum())
    starts = np.arange(0, len(legs), legs_per_replica)
    together = float((summed(apart, starts) ** 2 * weights[starts]).sum())
    return together / independent if independent else None
