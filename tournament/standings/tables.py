"""Scores of entrants at tables of any number of seats, and results of pairs that shared tables.

A score is the mean of points per session. If all combinations are played, a match is a stratum, and a bot's score is a
mean over its matches. If tables are drawn, a bot's opponents are drawn, too. All of its tables are then one sample, and
the bot is the stratum. Two bots at one table depend on each other, because one wins what another loses. So their
covariance follows from the tables that both share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Ints
from tournament.leg import match_number
from tournament.standings.matches import Matches
from tournament.standings.standard_errors import Errors, RoundRobinErrors, Strata, degrees_of_freedom, rounding_errors
from tournament.standings.tally import Tally, integer_sums, sums_by_entrant
from tournament.store.legs import Legs

# Minimum number of drawn tables of a bot for a known error of its score.
_MIN_TABLES = 4


@dataclass(frozen=True, eq=False)
class DrawnTableErrors:
    """Errors of scores if tables are drawn.

    Attributes:
        seats: Number of the entrant at each seat, by table; −1 for an entrant that doesn't count.
        residuals: Points per session of each seat minus its bot's mean, divided by the number of the bot's tables.
        tables: Number of counting tables of each entrant.
    """

    seats: Ints
    residuals: Floats
    tables: Ints

    @property
    def has_differences(self) -> bool:
        """True if at least two entrants had four tables or more, which errors of differences need."""
        return bool((self.tables >= _MIN_TABLES).sum() >= 2)

    @cached_property
    def _score_variances(self) -> tuple[Floats, Floats]:
        """Variance of each score, and its degrees of freedom, or 0 degrees with fewer than four tables."""
        count = len(self.tables)
        index = np.where(self.seats < 0, count, self.seats).ravel()
        squares = sums_by_entrant(count, index, (self.residuals**2).ravel())
        freedom = np.where(self.tables >= _MIN_TABLES, self.tables - 1.0, 0.0)
        return squares * (self.tables / np.maximum(self.tables - 1, 1)), freedom

    def score_variances(self) -> tuple[Floats, Floats]:
        """Return the variance of each score, and its degrees of freedom, or 0 degrees with fewer than four tables."""
        return self._score_variances

    def difference_variances(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the variances of the differences between entrants, and their degrees of freedom, as two matrices.

        Rows and columns are in the order of `indices`. Degrees of freedom are 0 if either entrant had fewer than four
        tables.

        Args:
            indices: Indices of the entrants.
        """
        variances, freedom = (values[indices] for values in self._score_variances)
        size, n = len(indices), self.tables[indices].astype(np.float64)
        # The last element is for entrants that don't count, with the number −1.
        row_by_entrant = np.full(len(self.tables) + 1, -1)
        row_by_entrant[indices] = np.arange(size)
        seats = row_by_entrant[self.seats]
        products, shared = np.zeros((2, size, size))
        for one in range(seats.shape[1]):
            for other in range(one):
                common = np.flatnonzero((seats[:, one] >= 0) & (seats[:, other] >= 0))
                x, y = seats[common, one], seats[common, other]
                both = self.residuals[common, one] * self.residuals[common, other]
                for pair in ((x, y), (y, x)):
                    np.add.at(products, pair, both)
                    np.add.at(shared, pair, 1.0)
        rows, columns = n[:, np.newaxis], n
        with np.errstate(divide="ignore", invalid="ignore"):
            # The products of residuals have this share of the covariance, because the residuals affect both means.
            share = 1 - 1 / rows - 1 / columns + shared / (rows * columns)
            covariances = np.where(share > 0.1, products / share, products)
            row_variance, column_variance = variances[:, np.newaxis], variances
            result = np.maximum(row_variance + column_variance - 2 * covariances, 0.0)
            # Parts of the variance: tables of only one of the two, and tables that both share.
            only_row, only_column = (
                row_variance * (rows - shared) / rows,
                column_variance * (columns - shared) / columns,
            )
            shared_variance = np.maximum(result - only_row - only_column, 0.0)
            squares = (
                only_row**2 / (rows + 1)
                + only_column**2 / (columns + 1)
                + shared_variance**2 / np.maximum(shared + 1, 2)
            )
        fewest = np.minimum(freedom[:, np.newaxis], freedom)
        return result, degrees_of_freedom(result, squares, fewest) * (fewest > 0)


def tally_tables(names: Sequence[str], legs: Legs, legs_per_replica: int, *, drawn: bool) -> Tally:
    """Return mean points per session of entrants over the tables where only they sat.

    If there are no such tables, all tables with an entrant count. That happens if all bots share one table and one of
    them is disqualified. An entrant without tables has the score 0.0.

    Args:
        names: Names of the entrants, in the order of the results.
        legs: Legs in order of match and leg numbers.
        legs_per_replica: Number of legs of a replica.
        drawn: Whether tables are drawn, so that each replica of a match is a table of its own.
    """
    count = len(names)
    numbers = {name: number for number, name in enumerate(names)}
    seats = numbered(legs, numbers)
    counted = (seats >= 0).all(axis=1)
    if not counted.any():
        counted = (seats >= 0).any(axis=1)
    if not counted.all():
        indices = np.flatnonzero(counted)
        legs, seats = legs.take(indices), seats[indices]
    if drawn:
        legs = _split_replicas(legs, legs_per_replica)
    strata = Strata.from_points(legs, legs_per_replica, legs.sessions)
    entrants = seats[strata.first]
    # Number of sessions of a replica.
    sessions = _sums(legs.sessions, strata.first) / np.maximum(strata.replicas, 1)
    width = seats.shape[1]
    index, leg_index = (np.where(one < 0, count, one).ravel() for one in (entrants, seats))
    met = np.bincount(index, minlength=count + 1)[:count]
    seat_divisors = np.append(np.maximum(met, 1), 1)[index].reshape(-1, width)
    share = np.where(entrants < 0, 0.0, 1 / (seat_divisors * np.maximum(sessions, 1)[:, np.newaxis]))
    scores = sums_by_entrant(count, index, (strata.means * share).ravel())
    errors: Errors
    if drawn:
        means = strata.means / np.maximum(sessions, 1)[:, np.newaxis]
        residuals = (means - np.append(scores, 0.0)[index].reshape(-1, width)) / seat_divisors
        errors = DrawnTableErrors(entrants, np.where(entrants < 0, 0.0, residuals), met)
    else:
        covariances = strata.covariances * share[:, :, np.newaxis] * share[:, np.newaxis]
        errors = RoundRobinErrors(entrants, covariances, strata.freedom, count, strata.fewest > 1)
    squared = np.stack([legs.seat_columns(seat).squared_points for seat in range(width)], axis=1)
    rounding = (
        np.add.reduceat(rounding_errors(legs.sessions[:, np.newaxis], squared), strata.first) if len(legs) else squared
    )
    return Tally(
        scores=scores,
        replicas=int(met.min(initial=met.max(initial=0))) if drawn else strata.fewest,
        errors=errors,
        sessions=integer_sums(count, leg_index, np.repeat(legs.sessions, width)),
        games=integer_sums(count, leg_index, np.repeat(legs.games, width)),
        opponents=met.tolist(),
        measures=[{} for _ in names],
        divisors=np.ones(count, np.int64),
        lengths=np.minimum(met, 1).astype(np.float64).tolist(),
        rounding=sums_by_entrant(
            count, index, (rounding * share / np.maximum(strata.replicas, 1)[:, np.newaxis]).ravel()
        ),
    )


def pair_results(legs: Legs, legs_per_replica: int, numbers: Mapping[str, int], *, drawn: bool) -> Matches:
    """Return the result of each pair of bots over all tables that both share, by the number of the pair.

    At tables of two it is the points of each bot. At larger tables it is the difference of their points for x, and its
    opposite for y. The name of x comes before that of y in alphabetical order. With one seat or no legs there are no
    pairs.

    Args:
        legs: Legs in order of match and leg numbers.
        legs_per_replica: Number of legs of a replica.
        numbers: Numbers of all bots of the legs by name, from which the numbers of pairs follow.
        drawn: Whether tables are drawn.
    """
    if not len(legs) or legs.players.shape[1] < 2:
        return Matches.from_matches(())
    if drawn:
        legs = _split_replicas(legs, legs_per_replica)
    strata = Strata.from_points(legs, legs_per_replica, legs.sessions)
    has_two_seats = legs.players.shape[1] == 2
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

    def summed(values: Floats | Ints) -> Floats:
        """Return the sum of the values of each pair."""
        return np.bincount(pair, values, size).astype(np.float64)

    total = strata.means * replicas[:, np.newaxis]
    of_x, of_y = (total[table, seat] for seat in (one, other))
    lead = of_x - of_y
    v, w, both = (
        strata.covariances[table, seat, second_seat] * replicas[table] ** 2
        for seat, second_seat in ((one, one), (other, other), (one, other))
    )
    variances = [v, w, np.maximum(v + w - 2 * both, 0.0)]
    freedom = strata.freedom[table]
    # Errors follow from the spread over the tables that both share.
    if drawn:
        shared = np.bincount(pair, minlength=size)
        scale = (shared / np.maximum(shared - 1, 1))[pair]
        residuals = [values - (summed(values) / shared)[pair] for values in (of_x, of_y, lead)]
        pair_variances = [summed(values * values * scale) for values in residuals]
        degrees = (shared - 1).astype(np.float64)
    else:
        pair_variances = [summed(values) for values in variances]
        fewest = np.full(size, np.inf)
        np.minimum.at(fewest, pair, freedom)
        squares = summed(variances[2] ** 2 / (freedom + 2))
        degrees = np.floor(degrees_of_freedom(pair_variances[2], squares, fewest)) * (fewest > 0)
    errors = [np.where(degrees > 0, np.sqrt(values), np.nan) for values in pair_variances]
    names = np.zeros((size, 2), np.int32)
    names[pair, 0], names[pair, 1] = x, y
    points_x, points_y = (summed(of_x), summed(of_y)) if has_two_seats else (summed(lead), summed(-lead))
    if not has_two_seats:
        errors = [errors[2], errors[2], 2 * errors[2]]
    integers = [keys, *(summed(column[table]) for column in counts.T), degrees]
    return Matches(
        legs.names,
        names,
        np.stack(integers, axis=1).astype(np.int64),
        np.stack([points_x + 0.0, errors[0], points_y + 0.0, errors[1], errors[2]], axis=1),
    )


def numbered(legs: Legs, numbers: Mapping[str, int]) -> Ints:
    """Return the number of the entrant at each seat, by leg and seat, or −1 for an entrant without a number."""
    return np.array([numbers.get(name, -1) for name in legs.names], np.int64)[legs.players]


def _split_replicas(legs: Legs, legs_per_replica: int) -> Legs:
    """Return legs in which each table is a match, because another replica of a drawn match has other bots."""
    replica = legs.number // legs_per_replica
    is_first = (np.diff(legs.match, prepend=-1) != 0) | (np.diff(replica, prepend=-1) != 0)
    integers = legs.counts.copy(order="F")
    integers[:, 0] = np.cumsum(is_first) - 1
    return replace(legs, counts=integers)


def _sums(values: Ints, first: Ints) -> Ints:
    """Return sums of consecutive values, each from an index in `first` to before the next."""
    return np.add.reduceat(values, first) if len(first) else np.zeros(0, np.int64)


def _seat_pairs(tables: int, seats: int) -> tuple[Ints, Ints, Ints]:
    """Return the index of the table and both seats, for each pair of seats of each table.

    Pairs are ordered by table, and within a table as in `np.triu_indices`, so the first seat is the lower one.
    """
    one, other = np.triu_indices(seats, 1)
    table = np.repeat(np.arange(tables), len(one))
    return table, np.tile(one, tables), np.tile(other, tables)
