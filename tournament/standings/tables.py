"""Scores of entrants at tables of any number of seats, and what two of them brought where both sat.

A score is the mean of points per session. Where all combinations are played, a match is a stratum, and a bot's score is
a mean over its matches. Where tables are drawn, a bot's opponents are drawn, too: all of its tables are one sample, and
the bot is the stratum. Two bots at one table are not independent of each other, as one wins what another loses, so
their covariance comes from the tables that both share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Whole
from tournament.leg import match_number
from tournament.standings.matches import Matches
from tournament.standings.standard_errors import Errors, Met, Strata, degrees_of_freedom, rounding_of
from tournament.standings.tally import Tally, sums_by_entrant, whole_sums
from tournament.store.legs import Legs

_FEWEST_TABLES = 4  # of a bot where tables are drawn, before anything is said of its score


@dataclass(frozen=True, eq=False)
class Drawn:
    """Errors of scores where tables are drawn.

    Attributes:
        seats: The entrants at each table, by number.
        residuals: What each seat brought beyond its bot's mean, divided by the number of the bot's tables.
        tables: The number of tables of each entrant.
    """

    seats: Whole
    residuals: Floats
    tables: Whole

    @property
    def known(self) -> bool:
        """Whether two have sat at enough tables, so that something is known of a difference."""
        return bool((self.tables >= _FEWEST_TABLES).sum() >= 2)

    @cached_property
    def _of_scores(self) -> tuple[Floats, Floats]:
        count = len(self.tables)
        index = np.where(self.seats < 0, count, self.seats).ravel()
        squares = sums_by_entrant(count, index, (self.residuals**2).ravel())
        freedom = np.where(self.tables >= _FEWEST_TABLES, self.tables - 1.0, 0.0)
        return squares * (self.tables / np.maximum(self.tables - 1, 1)), freedom

    def of_scores(self) -> tuple[Floats, Floats]:
        """Return each score's variance and the degrees of freedom of that."""
        return self._of_scores

    def of_differences(self, chosen: Whole) -> tuple[Floats, Floats]:
        """Return the same of the differences between these entrants."""
        variances, freedom = (values[chosen] for values in self._of_scores)
        size, n = len(chosen), self.tables[chosen].astype(np.float64)
        place = np.full(len(self.tables) + 1, -1)  # the last one is of −1
        place[chosen] = np.arange(size)
        seats = place[self.seats]
        products, shared = np.zeros((2, size, size))
        for one in range(seats.shape[1]):
            for other in range(one):
                there = np.flatnonzero((seats[:, one] >= 0) & (seats[:, other] >= 0))
                x, y = seats[there, one], seats[there, other]
                both = self.residuals[there, one] * self.residuals[there, other]
                for pair in ((x, y), (y, x)):
                    np.add.at(products, pair, both)
                    np.add.at(shared, pair, 1.0)
        rows, columns = n[:, np.newaxis], n
        with np.errstate(divide="ignore", invalid="ignore"):
            # The residuals' products have this share of the covariance: they are about both means, which they moved.
            share = 1 - 1 / rows - 1 / columns + shared / (rows * columns)
            covariances = np.where(share > 0.1, products / share, products)
            own, others = variances[:, np.newaxis], variances
            found = np.maximum(own + others - 2 * covariances, 0.0)
            # Of the tables of either one alone, and of those that both share.
            apart, theirs = own * (rows - shared) / rows, others * (columns - shared) / columns
            rest = np.maximum(found - apart - theirs, 0.0)
            squares = apart**2 / (rows + 1) + theirs**2 / (columns + 1) + rest**2 / np.maximum(shared + 1, 2)
        fewest = np.minimum(freedom[:, np.newaxis], freedom)
        return found, degrees_of_freedom(found, squares, fewest) * (fewest > 0)


def tally_of_tables(fit: Sequence[str], legs: Legs, legs_per_replica: int, *, drawn: bool) -> Tally:
    """Return mean points per session of these entrants, over the tables at which only they sat; of a match of all, over
    all of its tables. Legs are in order."""
    count = len(fit)
    numbers = {name: place for place, name in enumerate(fit)}
    seats = numbered(legs, numbers)
    counted = (seats >= 0).all(axis=1)
    if not counted.any():
        counted = (seats >= 0).any(axis=1)
    if not counted.all():
        places = np.flatnonzero(counted)
        legs, seats = legs.chosen(places), seats[places]
    if drawn:
        legs = _as_matches_of_one_replica(legs, legs_per_replica)
    strata = Strata.of_points(legs, legs_per_replica, legs.sessions)
    entrants = seats[strata.first]
    sessions = _sums(legs.sessions, strata.first) / np.maximum(strata.replicas, 1)  # of a replica
    width = seats.shape[1]
    index, of_leg = (np.where(one < 0, count, one).ravel() for one in (entrants, seats))
    met = np.bincount(index, minlength=count + 1)[:count]
    of_seat = np.append(np.maximum(met, 1), 1)[index].reshape(-1, width)
    share = np.where(entrants < 0, 0.0, 1 / (of_seat * np.maximum(sessions, 1)[:, np.newaxis]))
    scores = sums_by_entrant(count, index, (strata.means * share).ravel())
    errors: Errors
    if drawn:
        means = strata.means / np.maximum(sessions, 1)[:, np.newaxis]
        apart = (means - np.append(scores, 0.0)[index].reshape(-1, width)) / of_seat
        errors = Drawn(entrants, np.where(entrants < 0, 0.0, apart), met)
    else:
        covariances = strata.covariances * share[:, :, np.newaxis] * share[:, np.newaxis]
        errors = Met(entrants, covariances, strata.freedom, count, strata.fewest > 1)
    squared = np.stack([legs.of_seat(seat).squared_points for seat in range(width)], axis=1)
    off = np.add.reduceat(rounding_of(legs.sessions[:, np.newaxis], squared), strata.first) if len(legs) else squared
    return Tally(
        scores=scores,
        replicas=int(met.min(initial=met.max(initial=0))) if drawn else strata.fewest,
        errors=errors,
        sessions=whole_sums(count, of_leg, np.repeat(legs.sessions, width)),
        games=whole_sums(count, of_leg, np.repeat(legs.games, width)),
        opponents=met.tolist(),
        measures=[{} for _ in fit],
        divisors=np.ones(count, np.int64),
        lengths=np.minimum(met, 1).astype(np.float64).tolist(),
        rounding=sums_by_entrant(count, index, (off * share / np.maximum(strata.replicas, 1)[:, np.newaxis]).ravel()),
    )


def pairs_of_tables(legs: Legs, legs_per_replica: int, numbers: Mapping[str, int], *, drawn: bool) -> Matches:
    """Return each two bots that sat at one table, from all tables that both share: at tables of two what either won, at
    larger ones by how much one won more than the other, which the other then lost. Legs are in order.

    Args:
        legs: The legs.
        legs_per_replica: Number of legs that belong together.
        numbers: The bots' numbers, which number the pairs.
        drawn: Whether tables are drawn.
    """
    if not len(legs) or legs.players.shape[1] < 2:
        return Matches.of(())
    if drawn:
        legs = _as_matches_of_one_replica(legs, legs_per_replica)
    strata = Strata.of_points(legs, legs_per_replica, legs.sessions)
    of_two = legs.players.shape[1] == 2
    first, replicas = strata.first, strata.replicas
    counts = np.stack([np.diff(first, append=len(legs)), _sums(legs.sessions, first), _sums(legs.games, first)], axis=1)
    table, one, other = _seat_pairs(len(first), legs.players.shape[1])
    players = legs.players[first]
    by_name = np.argsort(np.argsort(np.array(legs.names, object)))
    x, y = players[table, one], players[table, other]
    swapped = by_name[x] > by_name[y]
    one, other = np.where(swapped, other, one), np.where(swapped, one, other)
    x, y = players[table, one], players[table, other]
    number = np.array([numbers.get(name, -1) for name in legs.names], np.int64)
    keys, pair = np.unique(match_number(number[x], number[y]), return_inverse=True)
    size = len(keys)

    def summed(values: Floats | Whole) -> Floats:
        return np.bincount(pair, values, size).astype(np.float64)

    total = strata.means * replicas[:, np.newaxis]
    of_x, of_y = (total[table, seat] for seat in (one, other))
    lead = of_x - of_y
    v, w, both = (
        strata.covariances[table, seat, again] * replicas[table] ** 2
        for seat, again in ((one, one), (other, other), (one, other))
    )
    variances = [v, w, np.maximum(v + w - 2 * both, 0.0)]
    freedom = strata.freedom[table]
    if drawn:  # from the spread over the tables that both share
        shared = np.bincount(pair, minlength=size)
        scale = (shared / np.maximum(shared - 1, 1))[pair]
        apart = [own - (summed(own) / shared)[pair] for own in (of_x, of_y, lead)]
        found = [summed(own * own * scale) for own in apart]
        degrees = (shared - 1).astype(np.float64)
    else:
        found = [summed(own) for own in variances]
        fewest = np.full(size, np.inf)
        np.minimum.at(fewest, pair, freedom)
        squares = summed(variances[2] ** 2 / (freedom + 2))
        degrees = np.floor(degrees_of_freedom(found[2], squares, fewest)) * (fewest > 0)
    errors = [np.where(degrees > 0, np.sqrt(own), np.nan) for own in found]
    names = np.zeros((size, 2), np.int32)
    names[pair, 0], names[pair, 1] = x, y
    own, theirs = (summed(of_x), summed(of_y)) if of_two else (summed(lead), summed(-lead))
    if not of_two:
        errors = [errors[2], errors[2], 2 * errors[2]]
    whole = [keys, *(summed(column[table]) for column in counts.T), degrees]
    return Matches(
        legs.names,
        names,
        np.stack(whole, axis=1).astype(np.int64),
        np.stack([own + 0.0, errors[0], theirs + 0.0, errors[1], errors[2]], axis=1),
    )


def numbered(legs: Legs, numbers: Mapping[str, int]) -> Whole:
    """Return the numbers of who sits at each seat of each leg, −1 for who has none."""
    return np.array([numbers.get(name, -1) for name in legs.names], np.int64)[legs.players]


def _as_matches_of_one_replica(legs: Legs, legs_per_replica: int) -> Legs:
    """Return legs whose matches are tables: a drawn one of another replica has others at it."""
    replica = legs.number // legs_per_replica
    is_first = (np.diff(legs.match, prepend=-1) != 0) | (np.diff(replica, prepend=-1) != 0)
    whole = legs.whole.copy(order="F")
    whole[:, 0] = np.cumsum(is_first) - 1
    return replace(legs, whole=whole)


def _sums(values: Whole, first: Whole) -> Whole:
    return np.add.reduceat(values, first) if len(first) else np.zeros(0, np.int64)


def _seat_pairs(tables: int, seats: int) -> tuple[Whole, Whole, Whole]:
    """Return for each two seats of each table its index and theirs."""
    one, other = np.triu_indices(seats, 1)
    table = np.repeat(np.arange(tables), len(one))
    return table, np.tile(one, tables), np.tile(other, tables)
