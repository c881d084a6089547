"""Errors of matches that were played in several replicas, each independent of the others.

With FEWEST or more of every match their own spread gives the errors. That is right however bots learn, even where
a bot's first games decide its play for a whole leg, which no part of one leg shows. With fewer, the blocks of all
replicas give them, as for one leg; a quantile for so few degrees of freedom would cost more than it is worth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats, Whole
from tournament.standings.estimates import block_sizes, errors_of_sums, errors_over_sessions
from tournament.store.legs import Legs, SeatColumns

FEWEST = 10


@dataclass(frozen=True)
class PlayedReplicas:
    """For legs in order: each one's match, counted from 0, its replica, and how many its match has."""

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
    played: PlayedReplicas, seats: Whole, entrants: int, sums: Sequence[SeatColumns], sessions: Whole
) -> tuple[Floats, int]:
    """Rows of residuals, one for each entrant: products of two add up to the covariance of the two scores; and the
    degrees of freedom.

    `seats` has the index of each seat's entrant, a row a leg, `sums` what each seat has won. A score is the sum over
    matches of the mean over their replicas. The match's own mean is subtracted, so matches may have more
    replicas than others.
    """
    by_replica = int(played.of_match.min()) >= FEWEST
    count = played.of_match if by_replica else played.of_match * np.clip(sessions, 1, BLOCK_COUNT)
    length = np.maximum(np.bincount(played.match, sessions)[played.match], 1)
    rows = np.zeros((entrants, int(played.replica.max()) + 1, 1 if by_replica else BLOCK_COUNT))
    scale = np.sqrt(count / np.maximum(count - 1, 1)) / played.of_match
    for seat, own in enumerate(sums):
        mean = np.bincount(played.match, own.points)[played.match] / length  # a session
        if by_replica:
            values = (own.points - mean * sessions)[:, np.newaxis]
        else:
            values = own.blocks - block_sizes(sessions, BLOCK_COUNT) * mean[:, np.newaxis]
        np.add.at(rows, (seats[:, seat], played.replica), values * scale[:, np.newaxis])
    return rows.reshape(entrants, -1), int(count.min()) - 1


def scores_of_replicas(
    names: Sequence[str],
    legs: Legs,
    legs_per_replica: int,
    house: Collection[str],
    score: Callable[[Legs], Sequence[float]] | None,
) -> dict[str, list[float]]:
    """The scores of each entrant in its replicas: in the first ones that all its matches have whole.

    Legs are in order. Those against the others count; or, where there is a `score` of legs against house players for
    all these names, those against the `house`.
    """
    rows = {name: row for row, name in enumerate(names)}
    columns = {name: column for column, name in enumerate(house)} if score else rows
    legs = legs.among(rows, columns)
    first, second = legs.numbered(0, rows), legs.numbered(1, columns)
    ranges = legs.matches()
    starts = np.repeat(ranges[:, 0], np.diff(ranges).ravel())
    leading = np.zeros((len(rows), len(columns)), np.int64)  # legs of a match, the first ones without a gap
    np.add.at(leading, (first, second), legs.number == np.arange(len(legs)) - starts)
    if not score:
        leading += leading.T
        np.fill_diagonal(leading, leading.max(initial=0))
    counts = leading.min(axis=1, initial=leading.max(initial=0)) // legs_per_replica
    replica = legs.number // legs_per_replica
    scores = np.zeros((len(rows), int(counts.max(initial=0))))
    if score:
        for number, own in enumerate(scores.T):
            own[:] = score(legs.chosen(np.flatnonzero(replica == number)))
    else:
        counted = replica < scores.shape[1]
        for seat, index in enumerate((first, second)):
            np.add.at(scores, (index[counted], replica[counted]), legs.of_seat(seat).points[counted])
    return {name: row[:count].tolist() for name, row, count in zip(names, scores, counts.tolist())}


def errors_of_matches(legs: Legs, own: SeatColumns, legs_per_replica: int) -> Floats:
    """The standard error of a seat's points over each match of legs in order, NaN where it can't be told.

    `own` is what the seat has won in the legs.
    """
    if not len(legs):
        return np.empty(0)
    starts = legs.matches()[:, 0]
    alone = errors_over_sessions(legs.sessions, own.points, own.squared_points)
    found = alone[starts]
    if len(starts) < len(legs):
        several = np.diff(starts, append=len(legs)) > 1
        found = np.where(several, _errors_of_replicas(legs, own, starts, legs_per_replica, alone), found)
    return np.asarray(found)


def _errors_of_replicas(
    legs: Legs, own: SeatColumns, starts: Whole, legs_per_replica: int, errors_of_legs: Floats
) -> Floats:
    """Standard errors of matches that begin with these legs, from their replicas; NaN where it can't be told."""
    replica = legs.number // legs_per_replica
    edges = np.flatnonzero((np.diff(legs.match, prepend=-1) != 0) | (np.diff(replica, prepend=-1) != 0))
    first_of_match = np.searchsorted(edges, starts)  # among the replicas of all
    points = np.add.reduceat(own.points, edges)
    if legs_per_replica > 1:  # legs of a duplicate pair share their deals: take pairs of blocks
        blocks = np.add.reduceat(own.blocks, edges, axis=0)
        errors, _ = errors_of_sums(blocks, block_sizes(legs.sessions[edges], BLOCK_COUNT))
    else:
        errors = errors_of_legs
    count = np.diff(first_of_match, append=len(edges))
    found = np.sqrt(np.add.reduceat(errors * errors, first_of_match))
    if (many := count >= FEWEST).any():
        apart = points - np.repeat(np.add.reduceat(points, first_of_match) / count, count)
        spread = np.add.reduceat(apart * apart, first_of_match) / np.maximum(count - 1, 1)
        found = np.where(many, np.sqrt(count * spread), found)
    return np.asarray(found)
