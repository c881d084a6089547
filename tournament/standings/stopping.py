"""When the order is settled: intervals for the differences of all pairs, right at all looks of a run at once.

A replica gives each pair one more difference, independent of those before. Pairs are judged after the numbers of
replicas in `looks`, up to the most that there may be. Each look spends a share of a pair's error rate as large as its
own part of the most replicas (K. K. G. Lan and D. DeMets, "Discrete Sequential Boundaries for Clinical Trials", 1983;
K. Kim and D. DeMets, 1987, with the power 1), and the intervals of all looks hold together ("repeated confidence
intervals", C. Jennison and B. Turnbull, "Group Sequential Methods", 2000, chapter 9). The chance to leave the bounds
for the first time is integrated for normal sums with known variance (P. Armitage, C. McPherson and B. Rowe, 1969), and
what it comes to at each look is then a level of Student's t (the significance level approach, chapter 11). The error
rate is shared out among all pairs, so that neighbours may be chosen by looking; pairs that are settled leave theirs to
the others (S. Holm, 1979; for several looks W. Maurer and F. Bretz, "Multiple Testing in Group Sequential Trials Using
Graphical Approaches", 2013). Sums over whole matches are taken to be normal.
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

FEWEST_REPLICAS = 4  # of all matches, before anything is decided
_GROWTH = 0.25  # of replicas in a round
# The share of the error rate that is spent: with levels of Student's t for normal ones, errors are at most a tenth
# more frequent, in simulation from four replicas on.
_SPENT = 0.9
_LEAST_POWER = 0.05  # with less of a probability to be told apart in the end a pair counts as close
_POINTS = 241  # at which a density is worked out
_LEAST_TAIL = 1e-13  # the smallest with a known quantile


def looks(first: int, most: int) -> tuple[int, ...]:
    """The numbers of replicas at which a pair is judged: a first one, then each time a quarter more, up to the most."""
    counts = [min(first, most)]
    while counts[-1] < most:
        counts.append(min(most, counts[-1] + max(1, round(_GROWTH * counts[-1]))))
    return tuple(counts)


@cache
def levels(counts: tuple[int, ...], error_rate: float) -> tuple[float, ...]:
    """Return how improbable, on one side, a difference must be at each look to count, so that none that isn't there
    counts at any look with a probability of 1 − `error_rate`; 0 for a look that is too early."""
    tails = (math.erfc(bound / math.sqrt(2)) / 2 for bound in _bounds(counts, _SPENT * error_rate))
    return tuple(tail if tail > _LEAST_TAIL else 0.0 for tail in tails)


def critical_value(counts: tuple[int, ...], look: int, error_rate: float, freedom: float) -> float:
    """Return how many standard errors an interval reaches to either side.

    The intervals of all looks hold the true difference with a probability of 1 − `error_rate`.

    Args:
        counts: The numbers of replicas at the looks.
        look: Which of them this is, from 0.
        error_rate: That of all looks.
        freedom: Degrees of freedom of the standard error; with 0 the interval is infinite.
    """
    level = levels(counts, error_rate)[look]
    return quantile(1 - level, freedom) if level and freedom > 0 else math.inf


def _bounds(counts: tuple[int, ...], error_rate: float) -> list[float]:
    """Bounds of a sum's absolute value, in its own standard deviations; its variance grows with the count.

    At each look the chance to be beyond for the first time is the look's share of the error rate.
    """
    found: list[float] = []
    places, mass, spent = np.zeros(1), np.ones(1), 0.0  # where the sum may still be within all bounds, and how likely
    for before, count in itertools.pairwise((0, *counts)):
        share = error_rate * count / counts[-1] - spent
        spent += share
        deviation = math.sqrt(count - before)
        low, high = 0.0, 12.0 * math.sqrt(count)
        for _ in range(28):
            middle = (low + high) / 2
            # Both sides are alike.
            beyond = 2 * float((mass * _tails((middle - places) / deviation)).sum())
            low, high = (middle, high) if beyond > share else (low, middle)
        found.append(high / math.sqrt(count))
        here = np.linspace(-high, high, _POINTS)
        density = np.exp(-(((here[:, np.newaxis] - places) / deviation) ** 2) / 2) / (
            deviation * math.sqrt(2 * math.pi)
        )
        mass = (density * mass).sum(axis=1) * _simpson(2 * high / (_POINTS - 1))
        places = here
    return found


def _tails(values: Floats) -> Floats:
    """The chance of a normal value above each."""
    return np.array([math.erfc(value) / 2 for value in (values / math.sqrt(2)).tolist()])


def _simpson(step: float) -> Floats:
    """Weights of the points of a density, by Simpson's rule."""
    weights = np.full(_POINTS, 2.0)
    weights[1::2] = 4.0
    weights[[0, -1]] = 1.0
    return weights * (step / 3)


def _pairs(looks: Sequence[Differences], of: str) -> Floats:
    """A number of each pair of rows, by look."""
    matrices = [getattr(look, of) for look in looks]
    return np.array([matrix[np.triu_indices(len(matrix), 1)] for matrix in matrices])


def within(
    looks: Sequence[Differences], counts: tuple[int, ...], error_rate: float, tie: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return which rows are surely ahead of which columns, and which differ by less than a tie, for sure.

    Each pair keeps its share of the rate to the end: its interval is what those of all looks have in common.
    """
    size = len(looks[0].means)
    first, second = np.triu_indices(size, 1)
    means, freedom = _pairs(looks, "means"), _pairs(looks, "freedom")
    wide = [
        quantiles(1 - level, degrees) if level else np.full(len(first), np.inf)
        for level, degrees in zip(levels(counts, error_rate / max(1, len(first))), freedom)
    ]
    with np.errstate(invalid="ignore"):
        reach = np.array(wide) * np.sqrt(_pairs(looks, "variances"))
        low = np.nan_to_num(means - reach, nan=-np.inf).max(axis=0, initial=-np.inf)
        high = np.nan_to_num(means + reach, nan=np.inf).min(axis=0, initial=np.inf)
    ahead, tied = np.zeros((2, size, size), bool)
    ahead[first, second], ahead[second, first] = low > 0, high < 0
    tied[first, second] = tied[second, first] = (low > -tie) & (high < tie)
    return ahead, tied


def is_futile(
    mean: float, error: float, freedom: float, count: int, counts: tuple[int, ...], error_rate: float
) -> bool:
    """Return whether the most replicas are unlikely to tell two apart.

    The probability that they do is stated for what is known now of the difference, and for a pair that has the whole
    rate (predictive power: D. Spiegelhalter, L. Freedman and P. Blackburn, 1986). To stop then makes no error more
    likely.

    Args:
        mean: Their difference after `count` replicas.
        error: Its standard error.
        freedom: Degrees of freedom of this.
        count: Replicas so far.
        counts: The numbers of replicas at the looks.
        error_rate: That of all looks.
    """
    if count < 2 or count >= counts[-1] or freedom < 1:
        return False
    if not error:
        return not mean  # equal in every replica
    share = count / counts[-1]
    wide = quantile(1 - levels(counts, error_rate)[-1], freedom * (counts[-1] - 1) // (count - 1))
    missing = wide * error * math.sqrt(share) - abs(mean)
    return missing > 0 and math.erfc(missing / error / math.sqrt(2 * (1 - share))) / 2 < _LEAST_POWER


def apart(looks: Sequence[Differences], counts: tuple[int, ...], error_rate: float) -> npt.NDArray[np.bool_]:
    """Return which rows are surely ahead of which columns: all pairs are tested step by step, those that are left
    sharing the rate."""
    size = len(looks[0].means)
    first, second = np.triu_indices(size, 1)
    means, chances = _pairs(looks, "means"), _pairs(looks, "chances")
    left = np.ones(len(first), bool)
    way = np.zeros(len(first))  # positive where the first one is ahead
    while left.any():
        most = 2 * np.array(levels(counts, error_rate / at_least(int(left.sum()))))[: len(looks), np.newaxis]
        beyond = chances < most
        surely = left & beyond.any(axis=0)
        if not surely.any():
            break
        way[surely] = means[beyond.argmax(axis=0), np.arange(len(first))][surely]
        left &= ~surely
    found = np.zeros((size, size), bool)
    found[first, second] = way > 0
    found[second, first] = way < 0
    return found


def at_least(number: int) -> int:
    """The first of 1, 2, 3, 4, 6, 8, 12, 16, … that isn't below a number."""
    power = 1 << (number - 1).bit_length()
    return power * 3 // 4 if power >= 4 and number <= power * 3 // 4 else power
