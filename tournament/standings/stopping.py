"""When the order is settled: intervals for the differences of all pairs that hold at all interim analyses of a run.

A replica gives each pair one more difference, independent of those before. Pairs are judged after the numbers of
replicas in `counts`, up to the maximum. Each interim analysis spends a share of a pair's error rate in proportion to
its replicas (K. K. G. Lan and D. DeMets, "Discrete Sequential Boundaries for Clinical Trials", 1983, and K. Kim and D.
DeMets, 1987, with the power 1). The intervals of all analyses hold together ("repeated confidence intervals", C.
Jennison and B. Turnbull, "Group Sequential Methods", 2000, chapter 9).

The probability of leaving the bounds for the first time is integrated for normal sums with known variance (P. Armitage,
C. McPherson and B. Rowe, 1969). Its value at each analysis is then a level of Student's t (the significance level
approach, chapter 11).

The error rate is divided among all pairs, so that neighbours can be chosen after looking at the data. Settled pairs
leave their share to the others (S. Holm, 1979, and for more than one analysis W. Maurer and F. Bretz, "Multiple Testing
in Group Sequential Trials Using Graphical Approaches", 2013). Sums over whole matches are assumed to be normal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats
from tournament.standings.standard_errors import Differences
from tournament.standings.student_t import quantile, quantiles

# Minimum replicas of all matches before anything is decided.
MIN_REPLICAS = 4
# Relative growth of the number of replicas in a round.
_GROWTH = 0.25
# Share of the error rate that is spent. Levels of Student's t replace normal ones, so errors are up to 10% more
# frequent, in simulations with four replicas or more.
_SPENT = 0.9
# Minimum probability of being distinguished in the end. With less, a pair counts as close.
_MIN_POWER = 0.05
# Number of points at which a density is computed.
_POINTS = 241
# Minimum tail probability with a known quantile.
_MIN_TAIL = 1e-13


def analysis_counts(first: int, maximum: int) -> tuple[int, ...]:
    """Return the numbers of replicas at the interim analyses: a first one, then each 25% more, up to the maximum.

    If the maximum is below the first number, it is the only one.
    """
    counts = [min(first, maximum)]
    while counts[-1] < maximum:
        counts.append(min(maximum, counts[-1] + max(1, round(_GROWTH * counts[-1]))))
    return tuple(counts)


@cache
def levels(counts: tuple[int, ...], error_rate: float) -> tuple[float, ...]:
    """Return the one-sided significance level of each interim analysis.

    The probability of any false positive over all of them, in either direction, is `error_rate`. The level is 0 if it
    is too early to test. Results are cached.

    Args:
        counts: Numbers of replicas at the interim analyses, ascending.
        error_rate: Error rate of one pair over all analyses.
    """
    tails = (math.erfc(bound / math.sqrt(2)) / 2 for bound in _bounds(counts, _SPENT * error_rate))
    return tuple(tail if tail > _MIN_TAIL else 0.0 for tail in tails)


def critical_value(counts: tuple[int, ...], analysis: int, error_rate: float, freedom: float) -> float:
    """Return the half-width, in standard errors, of an interval that is valid at every interim analysis.

    Args:
        counts: Numbers of replicas at the interim analyses.
        analysis: Index of this analysis, from 0.
        error_rate: Probability that the intervals of all analyses don't all hold.
        freedom: Degrees of freedom of the standard error.

    Returns:
        The half-width. It is infinite if it is too early to test, or if `freedom` is below 1.
    """
    level = levels(counts, error_rate)[analysis]
    return quantile(1 - level, freedom) if level and freedom > 0 else math.inf


def _bounds(counts: tuple[int, ...], error_rate: float) -> list[float]:
    """Return the bounds of a sum's absolute value at each interim analysis, in the sum's own standard deviations.

    The variance of the sum grows with the count. At each analysis the probability of leaving the bounds for the first
    time is the analysis's share of the error rate.
    """
    bounds: list[float] = []
    # Values of the sum within all bounds so far, and their probabilities.
    points, mass, spent = np.zeros(1), np.ones(1), 0.0
    for before, count in itertools.pairwise((0, *counts)):
        share = error_rate * count / counts[-1] - spent
        spent += share
        deviation = math.sqrt(count - before)
        low, high = 0.0, 12.0 * math.sqrt(count)
        for _ in range(28):
            middle = (low + high) / 2
            # Both sides have the same probability.
            beyond = 2 * float((mass * _tails((middle - points) / deviation)).sum())
            low, high = (middle, high) if beyond > share else (low, middle)
        bounds.append(high / math.sqrt(count))
        new_points = np.linspace(-high, high, _POINTS)
        density = np.exp(-(((new_points[:, np.newaxis] - points) / deviation) ** 2) / 2) / (
            deviation * math.sqrt(2 * math.pi)
        )
        mass = (density * mass).sum(axis=1) * _simpson(2 * high / (_POINTS - 1))
        points = new_points
    return bounds


def _tails(values: Floats) -> Floats:
    """Return the probability that a standard normal variable exceeds each value."""
    return np.array([math.erfc(value) / 2 for value in (values / math.sqrt(2)).tolist()])


def _simpson(step: float) -> Floats:
    """Return the weights of the points of a density, by Simpson's rule."""
    weights = np.full(_POINTS, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return weights * (step / 3)


def _pairs(analyses: Sequence[Differences], attribute: str) -> Floats:
    """Return the values of an attribute above its diagonal: shape (analyses, pairs), in the order of `np.triu_indices`.

    So the first bot of each pair has the lower index.
    """
    matrices = [getattr(analysis, attribute) for analysis in analyses]
    return np.array([matrix[np.triu_indices(len(matrix), 1)] for matrix in matrices])


def within(
    analyses: Sequence[Differences], counts: tuple[int, ...], error_rate: float, tie: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which rows are significantly ahead of which columns, and which pairs are significantly tied.

    Each pair keeps its share of the error rate to the end. Its interval is the intersection of those of all analyses.

    Args:
        analyses: Differences of scores at each interim analysis so far, at least one.
        counts: Numbers of replicas at all interim analyses.
        error_rate: Probability of one or more wrong statements.
        tie: Tie margin, in points: smaller differences are ties.

    Returns:
        Two matrices of flags by row and column. The one of ties is symmetric, and its diagonal is False. A pair can be
        in both.
    """
    size = len(analyses[0].means)
    first, second = np.triu_indices(size, 1)
    means, freedom = _pairs(analyses, "means"), _pairs(analyses, "freedom")
    critical_values = [
        quantiles(1 - level, degrees) if level else np.full(len(first), np.inf)
        for level, degrees in zip(levels(counts, error_rate / max(1, len(first))), freedom)
    ]
    with np.errstate(invalid="ignore"):
        half_width = np.array(critical_values) * np.sqrt(_pairs(analyses, "variances"))
        low = np.nan_to_num(means - half_width, nan=-np.inf).max(axis=0, initial=-np.inf)
        high = np.nan_to_num(means + half_width, nan=np.inf).min(axis=0, initial=np.inf)
    ahead, tied = np.zeros((2, size, size), bool)
    ahead[first, second], ahead[second, first] = low > 0, high < 0
    tied[first, second] = tied[second, first] = (low > -tie) & (high < tie)
    return ahead, tied


def is_futile(
    mean: float, error: float, freedom: float, count: int, counts: tuple[int, ...], error_rate: float
) -> bool:
    """Return whether the maximum replicas are unlikely to distinguish two bots.

    The probability that they do follows from what is known now of the difference, for a pair with the whole error rate
    (predictive power: D. Spiegelhalter, L. Freedman and P. Blackburn, 1986). Stopping then doesn't increase the error
    rate.

    Args:
        mean: Difference after `count` replicas.
        error: Standard error of the difference.
        freedom: Degrees of freedom of the error.
        count: Number of replicas so far.
        counts: Numbers of replicas at the interim analyses.
        error_rate: Error rate of all analyses.

    Returns:
        Whether it is futile. It isn't before two replicas, at the maximum, or without degrees of freedom. If the error
        is 0, it is futile exactly if the bots are equal.
    """
    if count < 2 or count >= counts[-1] or freedom < 1:
        return False
    if not error:
        # The bots are equal in every replica.
        return not mean
    share = count / counts[-1]
    critical = quantile(1 - levels(counts, error_rate)[-1], freedom * (counts[-1] - 1) // (count - 1))
    missing = critical * error * math.sqrt(share) - abs(mean)
    return missing > 0 and math.erfc(missing / error / math.sqrt(2 * (1 - share))) / 2 < _MIN_POWER


def sequentially_ahead(
    analyses: Sequence[Differences], counts: tuple[int, ...], error_rate: float
) -> npt.NDArray[np.bool_]:
    """Return which rows are significantly ahead of which columns, as a matrix of flags.

    All pairs are tested step by step. Those that aren't settled share the error rate. A settled pair has the direction
    of the first analysis at which it was significant.

    Args:
        analyses: Differences of scores at each interim analysis so far, at least one.
        counts: Numbers of replicas at all interim analyses.
        error_rate: Probability of one or more wrong statements.
    """
    size = len(analyses[0].means)
    first, second = np.triu_indices(size, 1)
    means, chances = _pairs(analyses, "means"), _pairs(analyses, "chances")
    open_pairs = np.ones(len(first), bool)
    # Difference of each settled pair: positive if the first bot is ahead.
    lead = np.zeros(len(first))
    while open_pairs.any():
        thresholds = (
            2 * np.array(levels(counts, error_rate / round_up(int(open_pairs.sum()))))[: len(analyses), np.newaxis]
        )
        beyond = chances < thresholds
        settled = open_pairs & beyond.any(axis=0)
        if not settled.any():
            break
        lead[settled] = means[beyond.argmax(axis=0), np.arange(len(first))][settled]
        open_pairs &= ~settled
    ahead = np.zeros((size, size), bool)
    ahead[first, second] = lead > 0
    ahead[second, first] = lead < 0
    return ahead


def round_up(number: int) -> int:
    """Return the smallest of 1, 2, 3, 4, 6, 8, 12, 16, … that isn't below a positive number."""
    power = 1 << (number - 1).bit_length()
    return power * 3 // 4 if power >= 4 and number <= power * 3 // 4 else power
