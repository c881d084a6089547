"""Sums of points by entrant over the legs that count."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Whole
from tournament.standings.standard_errors import Errors, Met, Paired, ScoreErrors, Strata, on_grid, rounding_of
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Tally:
    """Sums of the fit entrants, one index each.

    `divisors` are what scores are divided by to rank entrants that have not met equally many opponents yet, `lengths`
    the sessions of one replica of each match, `rounding` by how much a score may be off. `replicas` has the match with
    the fewest; `errors` are those of scores divided.
    """

    scores: Floats
    replicas: int
    errors: Errors
    sessions: Whole
    games: Whole
    opponents: list[int]
    measures: Sequence[Mapping[str, float | None]]
    divisors: Whole
    lengths: Sequence[float]
    rounding: Floats

    @cached_property
    def measured(self) -> ScoreErrors:
        """The scores, divided, and what their errors are told from."""
        divisors = np.maximum(1, self.divisors)
        scores = on_grid(self.scores / divisors, float((self.rounding / divisors).max(initial=0.0)))
        return ScoreErrors(scores, self.errors, self.replicas, np.arange(len(scores)))


def tally_of_points(
    fit: Sequence[str],
    legs: Legs,
    legs_per_replica: int,
    against: Sequence[str] | None = None,
    *,
    by_games: bool = False,
) -> Tally:
    """Sums of points over the matches of two among these entrants, of each match the mean over its replicas; or over
    those against others, or house players, who needn't have met each other. Errors of one replica are over its
    sessions, or `by_games`.

    Legs are in order."""
    count = len(fit)
    rows = {name: place for place, name in enumerate(fit)}
    columns = rows if against is None else {name: place for place, name in enumerate(against)}
    width = legs.seats
    seats = np.stack([legs.numbered(seat, rows) for seat in range(width)], axis=1)
    others = np.stack([legs.others_numbered(seat, columns) for seat in range(width)], axis=1)
    counted = (seats >= 0) & (others >= 0)
    if not counted.any(axis=1).all():
        places = np.flatnonzero(counted.any(axis=1))
        legs, seats, others, counted = legs.chosen(places), seats[places], others[places], counted[places]
    seats = np.where(counted, seats, -1)
    lengths = legs.games if by_games else legs.sessions
    strata = Strata.of_points(legs, legs_per_replica, lengths)
    of_leg = np.repeat(strata.replicas[strata.of_legs(len(legs))], width)
    met = np.zeros((count + 1, len(columns)), bool)
    met[seats, np.where(counted, others, 0)] = True
    divisors = met[:count].sum(axis=1)
    # What a seat brought that doesn't count goes to a row after the last one.
    index, of_match = np.where(counted, seats, count).ravel(), seats[strata.first]
    own = [legs.of_seat(seat).squared_points for seat in range(width)]
    off = rounding_of(lengths[:, np.newaxis], np.stack(own, axis=1)).ravel() / of_leg
    errors = met_of(strata, of_match, divisors)
    return Tally(
        scores=sums_by_entrant(count, np.where(of_match < 0, count, of_match).ravel(), strata.means.ravel()),
        replicas=strata.fewest,
        errors=errors
        if against is None
        else Paired(errors, _values(strata, legs, legs_per_replica, seats, others, divisors)),
        sessions=whole_sums(count, index, np.repeat(legs.sessions, width)),
        games=whole_sums(count, index, np.repeat(legs.games, width)),
        opponents=divisors.tolist(),
        measures=[{} for _ in fit],
        divisors=divisors,
        lengths=sums_by_entrant(count, index, np.repeat(legs.sessions, width) / of_leg).tolist(),
        rounding=sums_by_entrant(count, index, off),
    )


def met_of(strata: Strata, seats: Whole, divisors: Whole) -> Met:
    """The errors of scores that are the strata's sums by entrant, divided; −1 for a seat that doesn't count."""
    share = np.where(seats < 0, 0.0, 1 / np.append(np.maximum(divisors, 1), 1)[seats])
    covariances = np.empty_like(strata.covariances)
    for one, other in itertools.product(range(seats.shape[1]), repeat=2):  # columns are long, matrices small
        covariances[:, one, other] = strata.covariances[:, one, other] * share[:, one] * share[:, other]
    return Met(seats, covariances, strata.freedom, len(divisors), strata.fewest > 1)


def _values(
    strata: Strata, legs: Legs, legs_per_replica: int, seats: Whole, others: Whole, divisors: Whole
) -> Floats | None:
    """What each score, divided, has of each opponent in each replica; None where some have played less."""
    replicas, opponents = strata.fewest, int(divisors.max(initial=0))
    whole = strata.replicas.max(initial=0) == replicas and (divisors == opponents).all()
    if not (whole and len(strata.first) == len(divisors) * opponents):
        return None
    own = np.flatnonzero((seats >= 0).ravel())
    points = np.stack([legs.of_seat(seat).points for seat in range(legs.seats)], axis=1).ravel()[own]
    entrant, other = seats.ravel()[own], others.ravel()[own]
    column = np.cumsum(np.bincount(other) > 0)[other] - 1
    replica = (legs.number // legs_per_replica)[own // legs.seats]
    if column.max(initial=-1) >= opponents or replica.max(initial=-1) >= replicas:
        return None  # others have met others
    values = np.zeros((len(divisors), opponents, replicas))
    np.add.at(values, (entrant, column, replica), points / (opponents * replicas))
    return values


def sums_by_entrant(entrants: int, index: Whole, values: Floats) -> Floats:
    """For each entrant the sum of the values with its index, added one after the other in their order."""
    return np.bincount(index, values, entrants)[:entrants].astype(np.float64)


def whole_sums(entrants: int, index: Whole, values: Whole) -> Whole:
    """The same for one column of whole numbers."""
    sums = np.zeros(max(entrants, int(index.max(initial=-1)) + 1), np.int64)
    np.add.at(sums, index, values)
    return sums[:entrants]
