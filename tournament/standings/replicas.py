"""Errors of matches that were played in several replicas, each independent of the others.

With FEWEST or more of every match their own spread gives the errors: that is right however bots learn, also where one
keeps to what it made of its first games for a whole leg, which no part of one leg shows. With fewer, the blocks of all
replicas do, as those of one leg; a quantile for so few degrees of freedom would cost more than it is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.standings.estimates import block_sizes, errors_of_sums, errors_over_sessions
from tournament.store.legs import Legs

FEWEST = 10

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class PlayedReplicas:
    """Of legs in order: which match each is of, counted from 0, which replica, and how many its match has."""

    match: Whole
    replica: Whole
    of_match: Whole

    @classmethod
    def of(cls, match: Whole, number: Whole, legs_per_replica: int) -> PlayedReplicas:
        replica = number // legs_per_replica
        if not len(match):
            return cls(match, replica, match)
        first_of_match = np.diff(match, prepend=-1) != 0
        first_of_replica = first_of_match | (np.diff(replica, prepend=-1) != 0)
        index = np.cumsum(first_of_match) - 1
        return cls(index, replica, np.bincount(index, first_of_replica).astype(np.int64)[index])

    @property
    def several(self) -> bool:
        """Whether a match has more than one."""
        return bool((self.of_match > 1).any())


def residuals(
    played: PlayedReplicas, sides: Whole, entrants: int, sums: tuple[Floats, Floats], sessions: Whole
) -> tuple[Floats, int]:
    """Of each entrant a row such that products of two of them add up to the covariance of the two scores, and the
    degrees of freedom.

    `sides` are the indices of x and y, by leg, `sums` their points, squares and blocks. A score is the sum over
    matches of the mean over their replicas. What is subtracted is the match's own mean, so matches may have more
    replicas than others.
    """
    by_replica = int(played.of_match.min()) >= FEWEST
    width = sums[0].shape[1] - 2
    count = played.of_match if by_replica else played.of_match * np.clip(sessions, 1, width)
    length = np.maximum(np.bincount(played.match, sessions)[played.match], 1)
    rows = np.zeros((entrants, int(played.replica.max()) + 1, 1 if by_replica else width))
    scale = np.sqrt(count / np.maximum(count - 1, 1)) / played.of_match
    for side, own in enumerate(sums):
        mean = np.bincount(played.match, own[:, 0])[played.match] / length  # a session
        if by_replica:
            values = (own[:, 0] - mean * sessions)[:, np.newaxis]
        else:
            values = own[:, 2:] - block_sizes(sessions, width) * mean[:, np.newaxis]
        np.add.at(rows, (sides[:, side], played.replica), values * scale[:, np.newaxis])
    return rows.reshape(entrants, -1), int(count.min()) - 1


def errors_of_matches(
    legs: Legs, sums: Floats, matches: Sequence[tuple[int, int]], legs_per_replica: int
) -> list[float | None]:
    """The standard error of a side's points over each match, given as first leg and end: None where it can't be told.

    `sums` are that side's, as a row of each leg has them.
    """
    if not len(legs):
        return []
    starts = np.array([first for first, _ in matches])
    replica = legs.number // legs_per_replica
    edges = np.flatnonzero((np.diff(legs.match, prepend=-1) != 0) | (np.diff(replica, prepend=-1) != 0))
    first_of_match = np.searchsorted(edges, starts)  # among the replicas of all
    sessions = np.add.reduceat(legs.sessions, edges)
    points = np.add.reduceat(sums[:, 0], edges)
    if legs_per_replica > 1:  # legs of a duplicate pair share their deals: take pairs of blocks
        blocks = np.add.reduceat(sums[:, 2:], edges, axis=0)
        errors, _ = errors_of_sums(blocks, block_sizes(legs.sessions[edges], blocks.shape[1]))
    else:
        errors = errors_over_sessions(sessions, points, sums[edges, 1])
    count = np.diff(first_of_match, append=len(edges))
    found = np.sqrt(np.add.reduceat(errors * errors, first_of_match))
    if (many := count >= FEWEST).any():
        apart = points - np.repeat(np.add.reduceat(points, first_of_match) / count, count)
        spread = np.add.reduceat(apart * apart, first_of_match) / np.maximum(count - 1, 1)
        found = np.where(many, np.sqrt(count * spread), found)
    return [None if math.isnan(error) else error for error in found.tolist()]
