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

from tournament.standings.estimates import block_sizes, error_over_sessions, errors_of_sums
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
    played: PlayedReplicas, sides: Whole, entrants: int, points: Floats, blocks: Floats, sessions: Whole
) -> tuple[Floats, int]:
    """Of each entrant a row such that products of two of them add up to the covariance of the two scores, and the
    degrees of freedom.

    `sides` are the indices of x and y, by leg. A score is the sum over matches of the mean over their replicas. What
    is subtracted is the match's own mean, so matches may have more replicas than others.
    """
    fewest = int(played.of_match.min())
    length = np.bincount(played.match, sessions)[played.match]
    mean = np.bincount(played.match, points)[played.match] / np.maximum(length, 1)  # a session
    if fewest >= FEWEST:
        values = (points - mean * sessions)[:, np.newaxis]
        count = played.of_match
    else:
        width = blocks.shape[1]
        values = blocks - block_sizes(sessions, width) * mean[:, np.newaxis]
        count = played.of_match * np.clip(sessions, 1, width)
    values = values * (np.sqrt(count / np.maximum(count - 1, 1)) / played.of_match)[:, np.newaxis]
    rows = np.zeros((entrants, int(played.replica.max()) + 1, values.shape[1]))
    np.add.at(rows, (sides[:, 0], played.replica), values)
    np.add.at(rows, (sides[:, 1], played.replica), -values)
    return rows.reshape(entrants, -1), int(count.min()) - 1


def errors_of_matches(legs: Legs, matches: Sequence[tuple[int, int]], legs_per_replica: int) -> list[float | None]:
    """The standard error of x's points over each match, given as first leg and end: None where it can't be told."""
    starts = [first for first, _ in matches]
    found: list[float | None] = []
    replica = legs.number // legs_per_replica
    if legs_per_replica > 1:  # legs of a duplicate pair share their deals: take pairs of blocks
        edges = np.flatnonzero(np.diff(legs.match, prepend=-1) | np.diff(replica, prepend=-1))
        blocks = np.add.reduceat(legs.blocks, edges, axis=0)
        errors, _ = errors_of_sums(blocks, block_sizes(legs.sessions[edges], blocks.shape[1]))
        of_replicas = dict(zip(edges.tolist(), errors.tolist()))
    for start, (first, end) in zip(starts, matches):
        numbers = replica[first:end]
        count = len(np.unique(numbers))
        if count >= FEWEST:
            sums = np.bincount(numbers, legs.points[first:end])[np.unique(numbers)]
            found.append(math.sqrt(count) * float(np.std(sums, ddof=1)))
            continue
        if legs_per_replica > 1:
            each: list[float | None] = [of_replicas[leg] for leg in range(start, end) if leg in of_replicas]
        else:
            each = [
                error_over_sessions(int(n), float(p), float(s))
                for n, p, s in zip(legs.sessions[first:end], legs.points[first:end], legs.squared_points[first:end])
            ]
        known = [error for error in each if error is not None and not math.isnan(error)]
        found.append(math.sqrt(math.fsum(e * e for e in known)) if len(known) == len(each) else None)
    return found
