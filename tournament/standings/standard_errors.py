"""The one way from legs to errors: of a score, of the difference of two, and of a single match.

Every leg has deals of its own, and bots start it from nothing. So replicas of a match are independent of each other and
of all other matches, however bots learn: a match is a stratum, and its replicas' residuals from their mean tell the
variance of this mean. A score is a sum over strata. So is a difference of two, of which their own match is one stratum.
Degrees of freedom are F. Satterthwaite's ("An Approximate Distribution of Estimates of Variance Components", 1946),
with each squared variance estimated without bias: his own count has a third of the true number where strata have one
degree each.

Entrants that play the same opponents on the same deals, or on deals that other entrants can't influence, are compared
opponent by opponent: a stratum is then one opponent, with the differences in each replica.

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
from tournament.arrays import Floats, Whole
from tournament.standings.student_t import quantile, quantiles, two_sided_tail
from tournament.store.legs import Legs

FEWEST_OPPONENTS = 4  # that tell two entrants apart that play each of them once
_ROUNDING = 1e-11  # of √(n · Σp²), which sums of n values p don't exceed
_Rows = TypeVar("_Rows", Floats, Whole)
_COVERED = 0.975  # quantile at the upper end of a 95% interval


@dataclass(frozen=True, eq=False)
class Strata:
    """Matches, in order of their numbers.

    Attributes:
        first: Index of the first leg of each.
        replicas: Number of replicas of each.
        means: Mean over the replicas, a column for each seat.
        covariances: Covariances of these means, a matrix for each match.
        freedom: Degrees of freedom of these; 0 if nothing is known.
    """

    first: Whole
    replicas: Whole
    means: Floats
    covariances: Floats
    freedom: Whole

    @classmethod
    def of(
        cls,
        legs: Legs,
        legs_per_replica: int,
        values: Floats,
        within: Floats,
        lengths: Whole,
        rounding: Floats | None = None,
    ) -> Strata:
        """Return the strata of legs in order.

        Args:
            legs: The legs.
            legs_per_replica: Number of legs that belong together.
            values: What each leg brought, a column for each seat.
            within: Covariances of the values over other sessions, a matrix for each leg. They count in matches of one
                replica.
            lengths: Sessions of each leg, or games, which its batches divide.
            rounding: By how much the values of each leg may be off. Replicas that differ by less are equal.
        """
        match = legs.match
        seats = values.shape[1]
        if not len(match):
            nothing = np.zeros(0, np.int64)
            return cls(nothing, nothing, np.zeros((0, seats)), np.zeros((0, seats, seats)), nothing)
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
            apart = each - means[stratum]
            spread = summed(apart[:, :, np.newaxis] * apart[:, np.newaxis], starts)
            if rounding is not None:
                least = summed(rounding, first, np.maximum) ** 2 * replicas
                spread[np.trace(spread, axis1=1, axis2=2) <= seats * least] = 0.0
            scale = 1 / np.maximum(replicas * (replicas - 1), 1)
            alone = (replicas == 1)[:, np.newaxis, np.newaxis]
            covariances = np.where(alone, covariances, spread * scale[:, np.newaxis, np.newaxis])
        return cls(first, replicas, means, covariances, freedom)

    @classmethod
    def of_points(cls, legs: Legs, legs_per_replica: int, lengths: Whole) -> Strata:
        """Return the strata of legs in order, of what each seat won."""
        several = [legs.of_seat(seat) for seat in range(legs.players.shape[1])]
        within = np.zeros((len(legs), len(several), len(several)))  # of more than two, without what two have in common
        for number, own in enumerate(several):
            within[:, number, number] = own.variance
        if len(several) == 2:
            within[:, 0, 1] = within[:, 1, 0] = several[0].covariance
        points = np.stack([own.points for own in several], axis=1)
        off = rounding_of(lengths, np.max([own.squared_points for own in several], axis=0))
        return cls.of(legs, legs_per_replica, points, within, lengths, off)

    @property
    def fewest(self) -> int:
        """The number of replicas of the match that has the fewest."""
        return int(self.replicas.min(initial=self.replicas.max(initial=0)))

    def of_legs(self, legs: int) -> Whole:
        """Return the index of each leg's match."""
        return np.repeat(np.arange(len(self.first)), np.diff(self.first, append=legs))


def summed(values: _Rows, first: Whole, add: np.ufunc = np.add) -> _Rows:
    """Return the sums of the rows from each of these on to the next; fast if none has another."""
    return values if len(first) == len(values) else cast(_Rows, add.reduceat(values, first))


def degrees_of_freedom(variances: Floats, squares: Floats, fewest: npt.ArrayLike) -> Floats:
    """Return the degrees of freedom of variances that are sums over strata.

    Args:
        variances: The sums of the strata's variances v.
        squares: The sums of v²/(ν + 2), for strata of ν degrees.
        fewest: The least ν of any stratum, which is a bound, and counts if all v are 0.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = variances * variances / squares - 2
    return np.asarray(np.fmax(found, fewest), np.float64)


def on_grid(values: npt.ArrayLike, rounding: float) -> Floats:
    """Return the nearest multiples of a power of ten that is more than these values may differ by `rounding`."""
    step = 10.0 ** math.ceil(math.log10(rounding)) if rounding > 0 else 1.0
    return np.asarray(np.rint(np.asarray(values, np.float64) / step) * step if rounding > 0 else values, np.float64)


def rounding_of(lengths: Whole, squared_points: Floats) -> Floats:
    """Return by how much the sums of this many values with these sums of squares may be off."""
    return np.asarray(_ROUNDING * np.sqrt(lengths * squared_points))


@dataclass(frozen=True, eq=False)
class Differences:
    """The difference of each pair of scores, its variance and the degrees of freedom of that; 0 if nothing is known."""

    means: Floats
    variances: Floats
    freedom: Floats

    @cached_property
    def chances(self) -> Floats:
        """Probabilities of a difference at least as large in either direction, if there were none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.nan_to_num(self.means / np.sqrt(self.variances), nan=0.0, posinf=np.inf, neginf=-np.inf)
        return two_sided_tail(t, self.freedom)

    def error(self, first: int, second: int) -> float | None:
        """Return the difference's standard error; None if it isn't known."""
        return math.sqrt(self.variances[first, second]) if self.freedom[first, second] > 0 else None

    def ci_half_width(self, first: int, second: int) -> float | None:
        """Return half the difference's 95% interval; None if it isn't known."""
        error = self.error(first, second)
        return None if error is None else quantile(_COVERED, float(self.freedom[first, second])) * error


class Errors(Protocol):
    """Errors of scores, and whether any are known of their differences."""

    @property
    def known(self) -> bool: ...
    def of_scores(self) -> tuple[Floats, Floats]: ...
    def of_differences(self, chosen: Whole) -> tuple[Floats, Floats]: ...


@dataclass(frozen=True, eq=False)
class Met:
    """Scores of entrants that play each other: sums over matches, which are independent.

    Attributes:
        seats: The entrants at each match's seats, by number; −1 for one that doesn't count.
        covariances: Covariances of what these scores have of the match, a matrix for each match.
        freedom: Degrees of freedom of these.
        entrants: Number of entrants.
        known: Whether every match has two replicas or more. Of one replica no leg shows what another would bring.
    """

    seats: Whole
    covariances: Floats
    freedom: Whole
    entrants: int
    known: bool

    @cached_property
    def sums(self) -> tuple[Floats, Floats, Floats]:
        """For each entrant the variance of its score, the sum of v²/(ν + 2), and the least ν."""
        variances, squares = np.zeros((2, self.entrants))
        fewest = np.full(self.entrants, np.inf)
        for seat, entrant in enumerate(self.seats.T):
            there = entrant >= 0
            own, entrant = self.covariances[:, seat, seat][there], entrant[there]
            freedom = self.freedom[there].astype(np.float64)  # fast as no other kind is
            variances += np.bincount(entrant, own, self.entrants)
            squares += np.bincount(entrant, own * own / (freedom + 2), self.entrants)
            np.minimum.at(fewest, entrant, freedom)
        return variances, squares, np.where(np.isfinite(fewest), fewest, 0.0)

    def of_scores(self) -> tuple[Floats, Floats]:
        """Return each score's variance and the degrees of freedom of that."""
        variances, squares, fewest = self.sums
        return variances, degrees_of_freedom(variances, squares, fewest) * (fewest > 0)

    def of_differences(self, chosen: Whole) -> tuple[Floats, Floats]:
        """Return the same of the differences between these entrants: of what either has of its matches with all others,
        and of their own matches."""
        own, squares_of, fewest_of = (values[chosen] for values in self.sums)
        variances = own[:, np.newaxis] + own
        if not self.known:
            return variances, np.zeros_like(variances)
        squares = squares_of[:, np.newaxis] + squares_of
        place = np.full(self.entrants + 1, -1)  # the last one is of −1
        place[chosen] = np.arange(len(chosen))
        seats = place[self.seats]
        for one in range(seats.shape[1]):
            for other in range(one):
                there = np.flatnonzero((seats[:, one] >= 0) & (seats[:, other] >= 0))
                x, y, both = seats[there, one], seats[there, other], self.covariances[there, one, other]
                v, w = self.covariances[there, one, one], self.covariances[there, other, other]
                more = ((v + w - 2 * both) ** 2 - v * v - w * w) / (self.freedom[there] + 2)
                for pair in ((x, y), (y, x)):
                    np.add.at(variances, pair, -2 * both)
                    np.add.at(squares, pair, more)
        variances = np.maximum(variances, 0.0)
        fewest = np.minimum(fewest_of[:, np.newaxis], fewest_of)
        return variances, degrees_of_freedom(variances, squares, fewest) * (fewest > 0)


@dataclass(frozen=True, eq=False)
class Paired:
    """Scores of entrants that play the same opponents and not each other, on deals that may be the same.

    Attributes:
        scores: Errors of each score alone.
        values: What each score has of each opponent in each replica: entrants, opponents, replicas. None if entrants
            have not all played the same yet; then nothing is known of differences.
    """

    scores: Met
    values: Floats | None

    @property
    def known(self) -> bool:
        """Whether there are enough replicas, or opponents, to tell differences by."""
        if self.values is None:
            return False
        _, opponents, replicas = self.values.shape
        return bool(replicas > 1 or opponents >= FEWEST_OPPONENTS)

    def of_scores(self) -> tuple[Floats, Floats]:
        """Return each score's variance and the degrees of freedom of that."""
        return self.scores.of_scores()

    def of_differences(self, chosen: Whole) -> tuple[Floats, Floats]:
        """Return the same of differences: over the replicas against each opponent; of one replica, over opponents."""
        variances, squares = np.zeros((2, len(chosen), len(chosen)))
        if self.values is None or not self.known:
            return variances, np.zeros_like(variances)
        values = self.values[chosen]
        _, opponents, replicas = values.shape
        if replicas > 1:
            several, freedom, scale = values.transpose(1, 0, 2), replicas - 1, replicas / (replicas - 1)
        else:
            several, freedom, scale = values.transpose(2, 0, 1), opponents - 1, opponents / (opponents - 1)
        for one in several:
            apart = one - one.mean(axis=1, keepdims=True)
            # Not by @: the threads of its library hang for good when a process is started meanwhile.
            products = np.einsum("ir,jr->ij", apart, apart)
            diagonal = np.diagonal(products)
            each = scale * np.maximum(diagonal[:, np.newaxis] + diagonal - 2 * products, 0.0)
            variances += each
            squares += each * each / (freedom + 2)
        return variances, degrees_of_freedom(variances, squares, freedom)


@dataclass(frozen=True, eq=False)
class ScoreErrors:
    """Scores, a row each, and how their errors are told.

    Scores are those of one opponent on average, which may be compared in the middle of a run. `replicas`: of the match
    that has the fewest. `chosen`: which of the entrants of `errors` these are.
    """

    scores: Floats
    errors: Errors
    replicas: int
    chosen: Whole = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def nothing(cls) -> ScoreErrors:
        """Return no scores."""
        none = np.zeros(0, np.int64)
        return cls(np.zeros(0), Met(none.reshape(0, 2), np.zeros((0, 2, 2)), none, 0, False), 0)

    @cached_property
    def _of_scores(self) -> tuple[Floats, Floats]:
        variances, freedom = self.errors.of_scores()
        return variances[self.chosen], freedom[self.chosen]

    @property
    def stderr(self) -> Floats:
        """Each score's standard error; NaN if it isn't known."""
        variances, freedom = self._of_scores
        return np.where(freedom > 0, np.sqrt(variances), np.nan)

    @property
    def freedom(self) -> Floats:
        """The degrees of freedom of each."""
        return self._of_scores[1]

    @property
    def ci_half_width(self) -> Floats:
        """Half of each score's 95% interval; NaN if it isn't known."""
        return np.asarray(self.stderr * np.where(self.freedom > 0, quantiles(_COVERED, self.freedom), np.nan))

    @property
    def tells(self) -> bool:
        """Whether anything is known of differences."""
        return len(self.scores) < 2 or self.errors.known

    def of(self, places: Sequence[int] | Whole) -> ScoreErrors:
        """Return the same of these rows alone."""
        at = np.asarray(places, np.int64)
        return replace(self, scores=self.scores[at], chosen=self.chosen[at])

    @cached_property
    def differences(self) -> Differences:
        return Differences(self.scores[:, np.newaxis] - self.scores, *self.errors.of_differences(self.chosen))
