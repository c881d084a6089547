"""Sums of points by entrant over the legs that count."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Ints
from tournament.standings.standard_errors import (
    Errors,
    PairedErrors,
    RoundRobinErrors,
    ScoreErrors,
    Strata,
    on_grid,
    rounding_errors,
)
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Tally:
    """Sums of entrants that can play, by index. All fields with a value for each entrant have the same order.

    Attributes:
        scores: Score of each entrant: a sum of points, mean points per session, or the contest's own score. It is 0.0
            without matches.
        replicas: Minimum number of replicas of a match, or of tables of an entrant if tables are drawn.
        errors: Errors of the divided scores.
        sessions: Number of sessions of each entrant.
        games: Number of games of each entrant.
        opponents: Number of opponents that each entrant met, or of its matches at tables.
        measures: The contest's measures of each entrant, by name. Empty if bots play each other, or without matches.
        divisors: Divisors of scores for ranking, because entrants might have met different numbers of opponents so far.
        lengths: Divisor of each score for points per session: the sessions in one replica of all the entrant's matches,
            or 1 if scores are means. It is 0 against house players.
        rounding: Maximum rounding error of each score.
    """

    scores: Floats
    replicas: int
    errors: Errors
    sessions: Ints
    games: Ints
    opponents: list[int]
    measures: Sequence[Mapping[str, float | None]]
    divisors: Ints
    lengths: Sequence[float]
    rounding: Floats

    @cached_property
    def measured(self) -> ScoreErrors:
        """The divided scores on a grid above their rounding errors, and their errors, in the order of entrants."""
        divisors = np.maximum(1, self.divisors)
        scores = on_grid(self.scores / divisors, float((self.rounding / divisors).max(initial=0.0)))
        return ScoreErrors(scores, self.errors, self.replicas, np.arange(len(scores)))


def tally_points(
    entrants: Sequence[str],
    legs: Legs,
    legs_per_replica: int,
    against: Sequence[str] | None = None,
    *,
    by_games: bool = False,
) -> Tally:
    """Return sums of points over matches, each the mean over its replicas.

    Only legs of an entrant against one of its opponents count.

    Args:
        entrants: Names of the entrants, in the order of the results.
        legs: Legs in order of match and leg numbers.
        legs_per_replica: Number of legs of a replica.
        against: Names of the opponents, including house players, which don't have to meet each other; None for the
            entrants themselves.
        by_games: Whether errors of a single replica are over games instead of sessions. False by default.
    """
    count = len(entrants)
    rows = {name: number for number, name in enumerate(entrants)}
    columns = rows if against is None else {name: number for number, name in enumerate(against)}
    width = legs.seats
    seats = np.stack([legs.numbered(seat, rows) for seat in range(width)], axis=1)
    opponents = np.stack([legs.opponents_numbered(seat, columns) for seat in range(width)], axis=1)
    counted = (seats >= 0) & (opponents >= 0)
    if not counted.any(axis=1).all():
        indices = np.flatnonzero(counted.any(axis=1))
        legs, seats, opponents, counted = legs.take(indices), seats[indices], opponents[indices], counted[indices]
    seats = np.where(counted, seats, -1)
    lengths = legs.games if by_games else legs.sessions
    strata = Strata.from_points(legs, legs_per_replica, lengths)
    replicas_by_leg = np.repeat(strata.replicas[strata.match_indices(len(legs))], width)
    met = np.zeros((count + 1, len(columns)), bool)
    met[seats, np.where(counted, opponents, 0)] = True
    divisors = met[:count].sum(axis=1)
    # The points of seats that don't count are added to an extra last row.
    index, match_seats = np.where(counted, seats, count).ravel(), seats[strata.first]
    squares = [legs.seat_columns(seat).squared_points for seat in range(width)]
    rounding = rounding_errors(lengths[:, np.newaxis], np.stack(squares, axis=1)).ravel() / replicas_by_leg
    errors = round_robin_errors(strata, match_seats, divisors)
    return Tally(
        scores=sums_by_entrant(count, np.where(match_seats < 0, count, match_seats).ravel(), strata.means.ravel()),
        replicas=strata.fewest,
        errors=errors
        if against is None
        else PairedErrors(errors, _values(strata, legs, legs_per_replica, seats, opponents, divisors)),
        sessions=integer_sums(count, index, np.repeat(legs.sessions, width)),
        games=integer_sums(count, index, np.repeat(legs.games, width)),
        opponents=divisors.tolist(),
        measures=[{} for _ in entrants],
        divisors=divisors,
        lengths=sums_by_entrant(count, index, np.repeat(legs.sessions, width) / replicas_by_leg).tolist(),
        rounding=sums_by_entrant(count, index, rounding),
    )


def round_robin_errors(strata: Strata, seats: Ints, divisors: Ints) -> RoundRobinErrors:
    """Return the errors of scores that are the strata's sums by entrant, divided.

    Args:
        strata: The strata.
        seats: Number of the entrant at each seat, by stratum; −1 for an entrant that doesn't count.
        divisors: Divisor of each entrant's score; 0 counts as 1.
    """
    share = np.where(seats < 0, 0.0, 1 / np.append(np.maximum(divisors, 1), 1)[seats])
    covariances = np.empty_like(strata.covariances)
    # A loop over seats is fast, because columns are long and matrices small.
    for one, other in itertools.product(range(seats.shape[1]), repeat=2):
        covariances[:, one, other] = strata.covariances[:, one, other] * share[:, one] * share[:, other]
    return RoundRobinErrors(seats, covariances, strata.freedom, len(divisors), strata.fewest > 1)


def _values(
    strata: Strata, legs: Legs, legs_per_replica: int, seats: Ints, opponent_indices: Ints, divisors: Ints
) -> Floats | None:
    """Return the part of each score by entrant, opponent and replica.

    None if entrants have played unequally much, or have met different opponents.
    """
    replicas, opponents = strata.fewest, int(divisors.max(initial=0))
    is_complete = strata.replicas.max(initial=0) == replicas and (divisors == opponents).all()
    if not (is_complete and len(strata.first) == len(divisors) * opponents):
        return None
    counted = np.flatnonzero((seats >= 0).ravel())
    points = np.stack([legs.seat_columns(seat).points for seat in range(legs.seats)], axis=1).ravel()[counted]
    entrant, other = seats.ravel()[counted], opponent_indices.ravel()[counted]
    column = np.cumsum(np.bincount(other) > 0)[other] - 1
    replica = (legs.number // legs_per_replica)[counted // legs.seats]
    if column.max(initial=-1) >= opponents or replica.max(initial=-1) >= replicas:
        # Entrants have met different opponents.
        return None
    values = np.zeros((len(divisors), opponents, replicas))
    np.add.at(values, (entrant, column, replica), points / (opponents * replicas))
    return values


def sums_by_entrant(entrants: int, index: Ints, values: Floats) -> Floats:
    """Return the sum of the values of each entrant, added one by one in their order. It is 0.0 without values.

    Args:
        entrants: Number of entrants.
        index: Index of the entrant of each value; larger indices don't count.
        values: The values.
    """
    return np.bincount(index, values, entrants)[:entrants].astype(np.float64)


def integer_sums(entrants: int, index: Ints, values: Ints) -> Ints:
    """Return the sum of the integers of each entrant, or 0 without values.

    Args:
        entrants: Number of entrants.
        index: Index of the entrant of each value; larger indices don't count.
        values: The values.
    """
    sums = np.zeros(max(entrants, int(index.max(initial=-1)) + 1), np.int64)
    np.add.at(sums, index, values)
    return sums[:entrants]
