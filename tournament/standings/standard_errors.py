"""The one way from legs to errors: those of a score, of the difference of two scores, and of a single match.

Every leg has its own deals, and bots start it without memory. So replicas of a match are independent of each other and
of all other matches, however bots learn. A match is a stratum. The residuals of its replicas from their mean show the
variance of this mean. A score is a sum over strata. So is a difference of two scores, of which their own match is one
stratum.

Degrees of freedom are those of F. Satterthwaite ("An Approximate Distribution of Estimates of Variance Components",
1946), with an unbiased estimate of each squared variance. His own formula gives a third of the true number if each
stratum has one degree of freedom.

Entrants that play the same opponents on the same deals, or on deals that other entrants can't influence, are compared
opponent by opponent. A stratum is then one opponent, with the differences in each replica.

Sums in another order differ by rounding, so scores are compared on a grid that is coarser than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats, Ints
from tournament.standings.student_t import quantile, quantiles, two_sided_tail
from tournament.store.legs import Legs

# Minimum number of opponents for comparing two entrants that play each of them once.
MIN_OPPONENTS = 4
# Rounding error relative to √(n · Σp²), which a sum of n values p never exceeds.
_ROUNDING = 1e-11
_Rows = TypeVar("_Rows", Floats, Ints)
# Quantile at the upper end of a 95% interval.
_COVERED = 0.975


@dataclass(frozen=True, eq=False)
class Strata:
    """Matches in order of their numbers, as strata.

    Attributes:
        first: Index of the first leg of each match.
        replicas: Number of replicas of each match.
        means: Means over the replicas, by match and seat. The result of a replica is the sum over its legs.
        covariances: Covariances of these means: shape (matches, seats, seats).
        freedom: Degrees of freedom of the covariances; 0 if they are unknown.
    """

    first: Ints
    replicas: Ints
    means: Floats
    covariances: Floats
    freedom: Ints

    @classmethod
    def from_values(
        cls,
        legs: Legs,
        legs_per_replica: int,
        values: Floats,
        within: Floats,
        lengths: Ints,
        rounding: Floats | None = None,
    ) -> Strata:
        """Return the strata of legs.

        Args:
            legs: Legs in order.
            legs_per_replica: Number of legs of a replica.
            values: Result of each leg, by leg and seat.
            within: Covariances of the values over other sessions, a matrix of seats for each leg. They count in matches
                with one replica.
            lengths: Number of sessions of each leg, or of games, which its batches divide.
            rounding: Maximum rounding error of each leg's values. Replicas that differ by less are equal. None if no
                difference is too small.
        """
        match = legs.match
        seats = values.shape[1]
        if not len(match):
            none = np.zeros(0, np.int64)
            return cls(none, none, np.zeros((0, seats)), np.zeros((0, seats, seats)), none)
        replica = legs.number // legs_per_replica
        is_first = np.diff(match, prepend=-1) != 0
        first = np.flatnonzero(is_first)
        units = np.flatnonzero(is_first | (np.diff(replica, prepend=-1) != 0))
        stratum = np.cumsum(is_first)[units] - 1
        replicas = np.bincount(stratum)
        each = summed(values, units)
        starts = np.cumsum(replicas) - replicas
        means = summed(each, starts) / replicas[:, np.newaxis]
        batches = summed(np.minimum(lengths, BLOCK_COUNT), first, np.minimum) - 1
        covariances, freedom = summed(within, first), np.maximum(np.where(replicas == 1, batches, replicas - 1), 0)
        if len(units) > len(first):
            residuals = each - means[stratum]
            spread = summed(residuals[:, :, np.newaxis] * residuals[:, np.newaxis], starts)
            if rounding is not None:
                threshold = summed(rounding, first, np.maximum) ** 2 * replicas
                spread[np.trace(spread, axis1=1, axis2=2) <= seats * threshold] = 0.0
            scale = 1 / np.maximum(replicas * (replicas - 1), 1)
            is_single = (replicas == 1)[:, np.newaxis, np.newaxis]
            covariances = np.where(is_single, covariances, spread * scale[:, np.newaxis, np.newaxis])
        return cls(first, replicas, means, covariances, freedom)

    @classmethod
    def from_points(cls, legs: Legs, legs_per_replica: int, lengths: Ints) -> Strata:
        """Return the strata of the points of each seat.

        Args:
            legs: Legs in order.
            legs_per_replica: Number of legs of a replica.
            lengths: Number of sessions of each leg, or of games. The choice affects only matches with one replica.
        """
        columns = [legs.seat_columns(seat) for seat in range(legs.players.shape[1])]
        # With more than two seats, covariances within a leg are unknown and count as 0.
        within = np.zeros((len(legs), len(columns), len(columns)))
        for seat, column in enumerate(columns):
            within[:, seat, seat] = column.variance
        if len(columns) == 2:
            within[:, 0, 1] = within[:, 1, 0] = columns[0].covariance
        points = np.stack([column.points for column in columns], axis=1)
        rounding = rounding_errors(lengths, np.max([column.squared_points for column in columns], axis=0))
        return cls.from_values(legs, legs_per_replica, points, within, lengths, rounding)

    @property
    def fewest(self) -> int:
        """Minimum number of replicas of a match, or 0 without matches."""
        return int(self.replicas.min(initial=self.replicas.max(initial=0)))

    def match_indices(self, legs: int) -> Ints:
        """Return the index of each leg's match, given the number of legs."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=legs))


def summed(values: _Rows, first: Ints, add: np.ufunc = np.add) -> _Rows:
    """Return sums of consecutive rows, each from an index in `first` to before the next.

    If each sum has one row, the result is `values` itself, not a copy.

    Args:
        values: The rows.
        first: Index of the first row of each sum, ascending from 0.
        add: Function to use instead of addition.
    """
    return values if len(first) == len(values) else cast(_Rows, add.reduceat(values, first))


def degrees_of_freedom(variances: Floats, squares: Floats, fewest: npt.ArrayLike) -> Floats:
    """Return the degrees of freedom of variances that are sums over strata.

    Args:
        variances: Sums of the strata's variances v.
        squares: Sums of v²/(ν + 2), for strata with ν degrees of freedom.
        fewest: Minimum ν of the strata, which is a lower bound, and the result if all v are 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = variances * variances / squares - 2
    return np.asarray(np.fmax(freedom, fewest), np.float64)


def on_grid(values: npt.ArrayLike, rounding: float) -> Floats:
    """Return values rounded to multiples of a power of ten that isn't below their rounding error.

    Exact values are returned as they are, without a copy if they are an array of floats.

    Args:
        values: The values.
        rounding: Maximum rounding error of the values; 0 if they are exact.
    """
    step = 10.0 ** math.ceil(math.log10(rounding)) if rounding > 0 else 1.0
    return np.asarray(np.rint(np.asarray(values, np.float64) / step) * step if rounding > 0 else values, np.float64)


def rounding_errors(lengths: Ints, squared_points: Floats) -> Floats:
    """Return the maximum rounding errors of sums, given the numbers of values and the sums of their squares."""
    return np.asarray(_ROUNDING * np.sqrt(lengths * squared_points))


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of all pairs of scores.

    Attributes:
        means: Score of the row minus score of the column, as a matrix.
        variances: Variance of each difference, as a symmetric matrix.
        freedom: Degrees of freedom of each variance, as a symmetric matrix; 0 if it is unknown.
    """

    means: Floats
    variances: Floats
    freedom: Floats

    @cached_property
    def chances(self) -> Floats:
        """p-values: probabilities of a difference at least as large in either direction, if scores were equal.

        They are 1 for unknown variances, and on the diagonal.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.nan_to_num(self.means / np.sqrt(self.variances), nan=0.0, posinf=np.inf, neginf=-np.inf)
        return two_sided_tail(t, self.freedom)

    def error(self, first: int, second: int) -> float | None:
        """Return the standard error of the difference of two scores, given their indices, or None if it is unknown."""
        return math.sqrt(self.variances[first, second]) if self.freedom[first, second] > 0 else None

    def ci_half_width(self, first: int, second: int) -> float | None:
        """Return the half-width of a difference's 95% interval, given two indices, or None if it is unknown."""
        error = self.error(first, second)
        return None if error is None else quantile(_COVERED, float(self.freedom[first, second])) * error


class Errors(Protocol):
    """Errors of scores and of their differences, in the order of the entrants' numbers."""

    @property
    def has_differences(self) -> bool:
        """True if errors of differences are known."""

    def score_variances(self) -> tuple[Floats, Floats]:
        """Return the variance of each score, and its degrees of freedom, or 0 degrees if they are unknown."""

    def difference_variances(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the variances of the differences between entrants, and their degrees of freedom, as two matrices.

        Rows and columns are in the order of `indices`. Degrees of freedom of 0 mean that a variance is unknown.

        Args:
            indices: Indices of the entrants.
        """


@dataclass(frozen=True, eq=False)
class RoundRobinErrors:
    """Errors of scores of entrants that play each other: sums over independent matches.

    Attributes:
        seats: Number of the entrant at each seat, by match; −1 for an entrant that doesn't count.
        covariances: Covariances of the match's parts of the scores: shape (matches, seats, seats).
        freedom: Degrees of freedom of each match. 0 if its covariances are unknown.
        entrants: Number of entrants.
        has_differences: Whether every match has at least two replicas. A single replica doesn't show how much others
            would differ.
    """

    seats: Ints
    covariances: Floats
    freedom: Ints
    entrants: int
    has_differences: bool

    @cached_property
    def sums(self) -> tuple[Floats, Floats, Floats]:
        """Variance v of each score, sum of v²/(ν + 2) over its matches, and minimum ν, which is 0 without matches."""
        variances, squares = np.zeros((2, self.entrants))
        fewest = np.full(self.entrants, np.inf)
        for seat, entrant in enumerate(self.seats.T):
            counts = entrant >= 0
            variance, entrant = self.covariances[:, seat, seat][counts], entrant[counts]
            # `np.minimum.at` is fast only for this type.
            freedom = self.freedom[counts].astype(np.float64)
            variances += np.bincount(entrant, variance, self.entrants)
            squares += np.bincount(entrant, variance * variance / (freedom + 2), self.entrants)
            np.minimum.at(fewest, entrant, freedom)
        return variances, squares, np.where(np.isfinite(fewest), fewest, 0.0)

    def score_variances(self) -> tuple[Floats, Floats]:
        """Return the variance of each score, and its degrees of freedom, or 0 degrees if they are unknown."""
        variances, squares, fewest = self.sums
        return variances, degrees_of_freedom(variances, squares, fewest) * (fewest > 0)

    def difference_variances(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the variances of the differences between entrants, and their degrees of freedom, as two matrices.

        The strata of a difference are the matches of either entrant with all others, and their own matches. Rows and
        columns are in the order of `indices`. Without `has_differences` all degrees of freedom are 0.

        Args:
            indices: Indices of the entrants.
        """
        own_variances, own_squares, own_fewest = (values[indices] for values in self.sums)
        variances = own_variances[:, np.newaxis] + own_variances
        if not self.has_differences:
            return variances, np.zeros_like(variances)
        squares = own_squares[:, np.newaxis] + own_squares
        # The last element is for entrants that don't count, with the number −1.
        row_by_entrant = np.full(self.entrants + 1, -1)
        row_by_entrant[indices] = np.arange(len(indices))
        seats = row_by_entrant[self.seats]
        for one in range(seats.shape[1]):
            for other in range(one):
                own = np.flatnonzero((seats[:, one] >= 0) & (seats[:, other] >= 0))
                x, y, both = seats[own, one], seats[own, other], self.covariances[own, one, other]
                v, w = self.covariances[own, one, one], self.covariances[own, other, other]
                excess = ((v + w - 2 * both) ** 2 - v * v - w * w) / (self.freedom[own] + 2)
                for pair in ((x, y), (y, x)):
                    np.add.at(variances, pair, -2 * both)
                    np.add.at(squares, pair, excess)
        variances = np.maximum(variances, 0.0)
        fewest = np.minimum(own_fewest[:, np.newaxis], own_fewest)
        return variances, degrees_of_freedom(variances, squares, fewest) * (fewest > 0)


@dataclass(frozen=True, eq=False)
class PairedErrors:
    """Errors of scores of entrants that play the same opponents and not each other, on deals that can be the same.

    Attributes:
        scores: Errors of each score by itself.
        values: Parts of the scores by entrant, opponent and replica; None if entrants haven't played equally much yet.
            Differences are then unknown.
    """

    scores: RoundRobinErrors
    values: Floats | None

    @property
    def has_differences(self) -> bool:
        """True if there are two replicas or `MIN_OPPONENTS` opponents, and entrants have played equally much."""
        if self.values is None:
            return False
        _, opponents, replicas = self.values.shape
        return bool(replicas > 1 or opponents >= MIN_OPPONENTS)

    def score_variances(self) -> tuple[Floats, Floats]:
        """Return the variance of each score, and its degrees of freedom, or 0 degrees if they are unknown."""
        return self.scores.score_variances()

    def difference_variances(self, indices: Ints) -> tuple[Floats, Floats]:
        """Return the variances of the differences between entrants, and their degrees of freedom, as two matrices.

        Strata are opponents, over their replicas. With one replica there is one stratum, over opponents. Rows and
        columns are in the order of `indices`. Without `has_differences` all variances and degrees of freedom are 0.

        Args:
            indices: Indices of the entrants.
        """
        variances, squares = np.zeros((2, len(indices), len(indices)))
        if self.values is None or not self.has_differences:
            return variances, np.zeros_like(variances)
        values = self.values[indices]
        _, opponents, replicas = values.shape
        if replicas > 1:
            strata, freedom, scale = values.transpose(1, 0, 2), replicas - 1, replicas / (replicas - 1)
        else:
            strata, freedom, scale = values.transpose(2, 0, 1), opponents - 1, opponents / (opponents - 1)
        for stratum in strata:
            residuals = stratum - stratum.mean(axis=1, keepdims=True)
            # The operator @ isn't used: its library's threads can hang indefinitely if a process is started at the same
            # time.
            products = np.einsum("ir,jr->ij", residuals, residuals)
            diagonal = np.diagonal(products)
            each = scale * np.maximum(diagonal[:, np.newaxis] + diagonal - 2 * products, 0.0)
            variances += each
            squares += each * each / (freedom + 2)
        return variances, degrees_of_freedom(variances, squares, freedom)


@dataclass(frozen=True, eq=False)
class ScoreErrors:
    """Scores and their errors.

    Scores that are sums are divided by the opponents met, so they can be compared during a run. Callers must not change
    the arrays.

    Attributes:
        scores: The scores.
        errors: Errors of the scores of all entrants.
        replicas: Minimum number of replicas of a match. 0 without matches.
        indices: Index of each score among the entrants of `errors`. Empty by default, so for no scores.
    """

    scores: Floats
    errors: Errors
    replicas: int
    indices: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def nothing(cls) -> ScoreErrors:
        """Return an object without scores."""
        none = np.zeros(0, np.int64)
        return cls(np.zeros(0), RoundRobinErrors(none.reshape(0, 2), np.zeros((0, 2, 2)), none, 0, False), 0)

    @cached_property
    def _score_variances(self) -> tuple[Floats, Floats]:
        """Variance of each score, and its degrees of freedom (0 if unknown), in the order of `scores`."""
        variances, freedom = self.errors.score_variances()
        return variances[self.indices], freedom[self.indices]

    @property
    def stderr(self) -> Floats:
        """Standard error of each score, or NaN if unknown."""
        variances, freedom = self._score_variances
        return np.where(freedom > 0, np.sqrt(variances), np.nan)

    @property
    def freedom(self) -> Floats:
        """Degrees of freedom of each error, or 0 if it is unknown."""
        return self._score_variances[1]

    @property
    def ci_half_width(self) -> Floats:
        """Half-width of each score's 95% interval, or NaN if unknown."""
        return np.asarray(self.stderr * np.where(self.freedom > 0, quantiles(_COVERED, self.freedom), np.nan))

    @property
    def has_differences(self) -> bool:
        """True if errors of differences are known, or if there are fewer than two scores."""
        return len(self.scores) < 2 or self.errors.has_differences

    def take(self, selection: Sequence[int] | Ints) -> ScoreErrors:
        """Return some of the scores, in the order of their positions in `selection`."""
        indices = np.asarray(selection, np.int64)
        return replace(self, scores=self.scores[indices], indices=self.indices[indices])

    @cached_property
    def differences(self) -> Differences:
        """Differences of all pairs of scores, as matrices in the order of `scores`."""
        return Differences(self.scores[:, np.newaxis] - self.scores, *self.errors.difference_variances(self.indices))
