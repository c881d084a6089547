"""The one way from legs to errors: of a score, and of the difference of two.

All matches of a replica may share their deals, and a bot keeps its memory over a leg. So what is independent are
replicas, and their spread tells errors, with Student's t, however bots learn. Of one replica no leg shows what another
would have brought. Then the spread of its legs over blocks of sessions tells what other sessions would have brought
(batch means: A. Law and J. Carson, "A Sequential Procedure for Determining the Length of a Steady-State Simulation",
1979), and two bots are told apart by their common opponents, too: each of these foretells the difference by itself, and
what a bot came to think of one is news to the other. The larger variance counts. Where there are few replicas, either
their spread or that over common opponents may tell two bots apart; from ten on replicas alone tell more.

Sums in another order differ by rounding, so scores are compared on a grid that is coarser than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_sizes
from tournament.arrays import Floats, Whole
from tournament.standings.student import quantile, two_sided_tail
from tournament.store.legs import Legs, SeatColumns

ENOUGH_REPLICAS = 10  # to need no common opponents
FEWEST_OPPONENTS = 4
_ROUNDING = 1e-11  # of √(n · Σp²), which sums of n values p don't exceed
_MOST_GROUPS = 64  # of opponents
_SKEWNESS = 25
_MISSED = 0.05  # of true values by their intervals
_AT_ONCE = 1 << 12  # legs whose blocks fit a core's cache


@dataclass(frozen=True)
class Replicas:
    """For legs in order: each one's match, counted from 0, its replica, and how many its match has."""

    match: Whole
    replica: Whole
    of_match: Whole

    @classmethod
    def of(cls, match: Whole, number: Whole, legs_per_replica: int) -> Replicas:
        replica = number // legs_per_replica
        if not len(match):
            return cls(match, replica, match)
        first_of_match = np.diff(match, prepend=-1) != 0
        first_of_replica = first_of_match | (np.diff(replica, prepend=-1) != 0)
        index = np.cumsum(first_of_match) - 1
        return cls(index, replica, np.bincount(index, first_of_replica).astype(np.int64)[index])

    @property
    def fewest(self) -> int:
        """Of any match."""
        return int(self.of_match.min(initial=self.of_match.max(initial=0)))

    def residuals(self, entrant: Whole, values: Floats, lengths: Whole, entrants: int) -> Floats:
        """A column a replica: how what legs bring these entrants differs from their match's mean, scaled so that
        products of two rows add up to the covariance of the sums of means. Each match has two replicas or more."""
        rows = np.zeros((entrants, int(self.replica.max(initial=0)) + 1))
        mean = np.bincount(self.match, values) / np.maximum(np.bincount(self.match, lengths), 1)
        scale = np.sqrt(self.of_match / np.maximum(self.of_match - 1, 1)) / self.of_match
        np.add.at(rows, (entrant, self.replica), (values - mean[self.match] * lengths) * scale)
        return rows


def residuals_of_blocks(blocks: Floats, sizes: Floats) -> tuple[Floats, Whole]:
    """How the blocks of each row differ from their share of its sum, scaled so that products of two rows add up to the
    covariance of the sums; and each row's degrees of freedom."""
    used = sizes > 0
    count = used.sum(axis=1)
    means = blocks.sum(axis=1) / np.maximum(sizes.sum(axis=1), 1.0)
    apart = np.where(used, blocks - sizes * means[:, np.newaxis], 0.0)
    return apart * np.sqrt(count / np.maximum(count - 1, 1))[:, np.newaxis], np.maximum(count - 1, 0)


def residuals_of_means(values: Floats) -> Floats:
    """How the values of each row, of a replica each, differ from their mean, scaled so that products of two rows add up
    to the covariance of the means. There are two replicas or more."""
    count = values.shape[-1]
    return np.asarray((values - values.mean(axis=-1, keepdims=True)) / math.sqrt(count * (count - 1)))


def mean_and_error(values: Floats) -> tuple[float, float]:
    """The mean of values of independent replicas, and its standard error, infinite for one."""
    if len(values) < 2:
        return float(values.mean()), math.inf
    apart = residuals_of_means(values)
    return float(values.mean()), math.sqrt(float((apart * apart).sum()))


def on_grid(values: npt.ArrayLike, rounding: float) -> Floats:
    """The nearest multiples of a power of ten that is more than these values may differ by `rounding`."""
    step = 10.0 ** math.ceil(math.log10(rounding)) if rounding > 0 else 1.0
    return np.asarray(np.rint(np.asarray(values, np.float64) / step) * step if rounding > 0 else values, np.float64)


def rounding_of(lengths: Whole, squared_points: Floats) -> Floats:
    """By how much the sums of so many values with these sums of squares may be off."""
    return np.asarray(_ROUNDING * np.sqrt(lengths * squared_points))


def variances_of_differences(residuals: Floats) -> Floats:
    """For each pair of rows of residuals the variance of the difference of their sums."""
    # Not by @: the threads of its library hang for good when a process is started meanwhile.
    products = np.einsum("ib,jb->ij", residuals, residuals)
    own = np.diagonal(products)
    return np.asarray(np.maximum(own[:, np.newaxis] + own - 2 * products, 0.0))


@dataclass(frozen=True)
class Differences:
    """Of each pair of scores the difference, and ways to tell its error: variances with degrees of freedom. There are
    none where nothing can be told."""

    means: Floats
    ways: tuple[tuple[Floats, int], ...]

    @cached_property
    def t(self) -> Floats:
        """The differences in standard errors by the first way; 0 where two are equal."""
        return _t(self.means, self.ways[0][0]) if self.ways else np.zeros_like(self.means)

    @property
    def freedom(self) -> int:
        """Of `t`."""
        return self.ways[0][1] if self.ways else 0

    @cached_property
    def chances(self) -> Floats:
        """Of a difference at least as large in either direction, were there none. The way that tells most counts,
        at its part of the error rate (C. Bonferroni, 1936)."""
        found = np.ones(self.means.shape)
        for variances, freedom in self.ways:
            found = np.minimum(found, len(self.ways) * two_sided_tail(_t(self.means, variances), freedom))
        return found

    def reach(self, first: int, second: int) -> float | None:
        """Half the difference's interval of 95%, which tells as much as `chances`; None where nothing can be told."""
        ends = [
            quantile(1 - _MISSED / 2 / len(self.ways), freedom) * math.sqrt(variances[first, second])
            for variances, freedom in self.ways
        ]
        return min(ends, default=None)


def _t(means: Floats, variances: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(means / np.sqrt(variances), nan=0.0, posinf=np.inf, neginf=-np.inf)


@dataclass(frozen=True)
class Measured:
    """Scores, a row each, and what their errors are told from.

    Products of two rows of `residuals` add up to the covariance of two scores, with these degrees of `freedom`: over
    the `replicas` of each match, or the blocks of one. Those of `by_opponent` tell the same of differences alone; so
    many opponents are `common` to two. Scores are those of one opponent on average, which may be compared in the middle
    of a run.
    """

    scores: Floats
    residuals: Floats
    freedom: int
    replicas: int
    by_opponent: Floats
    common: int

    @classmethod
    def nothing(cls) -> Measured:
        """No scores."""
        return cls(np.zeros(0), np.zeros((0, 1)), 0, 0, np.zeros((0, 1)), 0)

    def errors(self) -> list[float | None]:
        """Each score's standard error, None where it can't be told."""
        if self.freedom < 1:
            return [None] * len(self.scores)
        found: list[float | None] = np.sqrt(np.einsum("ib,ib->i", self.residuals, self.residuals)).tolist()
        return found

    def difference(self, first: int, second: int) -> tuple[float, float | None]:
        """By how much one row's score is above another's, and the standard error of that by `residuals` alone."""
        apart = self.residuals[first] - self.residuals[second]
        error = math.sqrt(float((apart * apart).sum())) if self.freedom > 0 else None
        return float(self.scores[first] - self.scores[second]), error

    def of(self, places: Sequence[int]) -> Measured:
        """The same of these rows alone."""
        return replace(
            self,
            scores=self.scores[places],
            residuals=self.residuals[places],
            by_opponent=self.by_opponent[places],
        )

    @cached_property
    def differences(self) -> Differences:
        means, variances = self.scores[:, np.newaxis] - self.scores, variances_of_differences(self.residuals)
        ways = [(variances, self.freedom)] if self.replicas > 1 else []
        if self.replicas < ENOUGH_REPLICAS and self.common >= FEWEST_OPPONENTS and self.freedom > 0:
            wider = np.maximum(variances, variances_of_differences(self.by_opponent))
            ways.append((wider, min(self.common, _MOST_GROUPS) - 1))
        return Differences(means, tuple(ways))


def residuals_of_opponents(brought: Floats, common: int) -> Floats:
    """How what each opponent, by column, brought each score differs from the mean, scaled so that products of two rows
    add up to the covariance of the sums, as far as it shows in differences. Of these many opponents are `common` to two
    entrants; where these have met, too, what one wins the other loses, which counts as two opponents more.

    Many opponents are put together to groups.
    """
    count = min(brought.shape[1], _MOST_GROUPS)
    group = np.arange(brought.shape[1]) % max(1, count)
    sums = np.zeros((len(brought), count))
    for opponent, number in enumerate(group.tolist()):
        sums[:, number] += brought[:, opponent]
    sizes = np.bincount(group, minlength=count) / max(1, len(group))
    apart = sums - sums.sum(axis=1, keepdims=True) * sizes
    mutual = brought.shape[1] - common
    return np.asarray(apart * math.sqrt(count / max(1, count - max(1, mutual))))


def errors_of_matches(legs: Legs, own: SeatColumns, replicas: Replicas, lengths: Whole) -> tuple[Floats, Whole]:
    """For the matches of legs in order the standard error of a seat's points, NaN where it can't be told, and its
    degrees of freedom: over replicas; of one, over the blocks of its sessions, or games."""
    starts = legs.matches()[:, 0]
    errors, freedom = np.full(len(starts), np.nan), np.zeros(len(starts), np.int64)
    count = replicas.of_match[starts]
    for first in range(0, len(starts), _AT_ONCE):
        ends = np.append(starts, len(legs))[first : first + _AT_ONCE + 1]
        of_legs = slice(int(ends[0]), int(ends[-1]))
        at = ends[:-1] - ends[0]
        blocks, sizes = own[of_legs].blocks, block_sizes(lengths[of_legs])
        if len(at) < len(blocks):
            blocks, sizes = np.add.reduceat(blocks, at), np.add.reduceat(sizes, at)
        apart, degrees = residuals_of_blocks(blocks, sizes)
        here = slice(first, first + len(at))
        errors[here] = np.where(degrees > 0, np.sqrt(np.einsum("ib,ib->i", apart, apart)), np.nan)
        freedom[here] = degrees
    if (several := count > 1).any():
        apart = replicas.residuals(replicas.match, own.points, lengths, len(starts))
        errors = np.where(several, count * np.sqrt(np.einsum("ib,ib->i", apart, apart)), errors)
        freedom = np.where(several, count - 1, freedom)
    return errors, freedom


def moments_of(own: SeatColumns, lengths: Whole) -> Floats:
    """For each leg how many blocks it has, and the sums of squares and cubes of how these differ from their share of
    its points: a row each."""
    found = np.empty((3, len(lengths)))
    for first in range(0, len(lengths), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        sizes = block_sizes(lengths[some])
        apart = own[some].blocks - sizes * (own[some].points / np.maximum(lengths[some], 1))[:, np.newaxis]
        apart[sizes == 0] = 0.0
        squares = apart * apart
        found[:, some] = (sizes > 0).sum(axis=1), squares.sum(axis=1), (squares * apart).sum(axis=1)
    return found


def heavy_tailed(moments: Floats) -> list[bool]:
    """Whose blocks are too few for a normal mean: fewer than 25 times the square of their skewness (W. Cochran,
    "Sampling Techniques", 1977, section 2.15)."""
    count, squares, cubes = moments
    with np.errstate(divide="ignore", invalid="ignore"):
        skewness_squared = np.nan_to_num(count * cubes * cubes / squares**3)
    told: list[bool] = (count < _SKEWNESS * skewness_squared).tolist()
    return told
