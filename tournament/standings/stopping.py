"""When the order is settled: intervals for the differences of all pairs, right at all looks of a run at once.

A replica gives each pair one difference, independent of those before. Pairs are judged after the numbers of replicas
in `looks`, up to the most that there may be. Each look spends a share of a pair's error rate as large as its own
part of the most replicas (K. K. G. Lan and D. DeMets, "Discrete Sequential Boundaries for Clinical Trials", 1983;
K. Kim and D. DeMets, 1987, with the power 1), and the intervals of all looks hold together ("repeated confidence
intervals", C. Jennison and B. Turnbull, "Group Sequential Methods", 2000, chapter 9). The chance to leave the bounds
for the first time is integrated for normal sums with known variance (P. Armitage, C. McPherson and B. Rowe, 1969), and
what it comes to at each look is then a level of Student's t (the significance level approach, chapter 11). The error
rate is shared out among all pairs, so that neighbours may be chosen by looking; pairs that are settled leave theirs to
the others (S. Holm, 1979; for several looks W. Maurer and F. Bretz, "Multiple Testing in Group Sequential Trials Using
Graphical Approaches", 2013). Sums over whole matches are taken to be
normal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np
import numpy.typing as npt

from tournament.standings.places import variances_of_differences
from tournament.standings.student import quantile

Verdict = Literal["settled", "tied", "open"]
Floats = npt.NDArray[np.float64]

FEWEST_REPLICAS = 4  # of all matches, before anything is decided
_GROWTH = 0.25  # of replicas in a round
# The share of the error rate that is spent: with levels of Student's t for normal ones, errors are at most a tenth
# more frequent, in simulation from four replicas on.
_SPENT = 0.9
_POINTS = 241  # at which a density is worked out
_LEAST_TAIL = 1e-13  # the smallest with a known quantile


@dataclass(frozen=True)
class Neighbours:
    """Two entrants next to each other by score, and what is known of their order."""

    ahead: str
    behind: str
    verdict: Verdict


def looks(first: int, most: int) -> tuple[int, ...]:
    """The numbers of replicas at which a pair is judged: a first one, then each time a quarter more, up to the most."""
    counts = [min(first, most)]
    while counts[-1] < most:
        counts.append(min(most, counts[-1] + max(1, round(_GROWTH * counts[-1]))))
    return tuple(counts)


@cache
def reaches(counts: tuple[int, ...], error_rate: float) -> tuple[float, ...]:
    """How many standard errors of the mean the interval reaches at each look, so that all of them hold the true mean
    with a chance of 1 − `error_rate`; infinite with too few values."""
    found = []
    for count, bound in zip(counts, _bounds(counts, _SPENT * error_rate)):
        tail = math.erfc(bound / math.sqrt(2)) / 2
        found.append(quantile(1 - tail, count - 1) if count > 1 and tail > _LEAST_TAIL else math.inf)
    return tuple(found)


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
        low, high = 0.0, 40.0 * math.sqrt(count)
        for _ in range(40):
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


def sure_interval(differences: Sequence[float], counts: tuple[int, ...], error_rate: float) -> tuple[float, float]:
    """The interval of the mean that the intervals of all looks so far have in common."""
    low, high = -math.inf, math.inf
    for count, wide in zip(counts, reaches(counts, error_rate)):
        if count > len(differences) or not math.isfinite(wide):
            continue
        values = np.asarray(differences[:count], np.float64)
        mean, error = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(count)
        low, high = max(low, mean - wide * error), min(high, mean + wide * error)
    return low, high


def apart(replicas: Sequence[Sequence[float]], counts: tuple[int, ...], error_rate: float) -> npt.NDArray[np.bool_]:
    """Which rows are surely ahead of which columns: all pairs are tested step by step, those that are left sharing
    the rate.

    A row has an entrant's scores in its replicas, the same deals at the same place.
    """
    size = len(replicas)
    first, second = np.triu_indices(size, 1)
    away = np.full((len(counts), len(first)), np.nan)  # differences in standard errors, by look
    for look, count in enumerate(counts):
        there = [row for row, scores in enumerate(replicas) if len(scores) >= count]
        if count < 2 or len(there) < 2:
            continue
        values = np.array([replicas[row][:count] for row in there], np.float64)
        means = np.full(size, np.nan)
        means[there] = values.mean(axis=1)
        residuals = np.zeros((size, count))
        residuals[there] = (values - values.mean(axis=1, keepdims=True)) / math.sqrt(count * (count - 1))
        errors = np.sqrt(variances_of_differences(residuals)[first, second])
        with np.errstate(divide="ignore", invalid="ignore"):
            away[look] = (means[first] - means[second]) / errors
    left = np.ones(len(first), bool)
    way = np.zeros(len(first))  # positive where the first one is ahead
    while left.any():
        wide = np.array(reaches(counts, error_rate / _at_least(int(left.sum()))))
        with np.errstate(invalid="ignore"):
            beyond = np.abs(away) > wide[:, np.newaxis]
        surely = left & beyond.any(axis=0)
        if not surely.any():
            break
        way[surely] = away[beyond.argmax(axis=0), np.arange(len(first))][surely]
        left &= ~surely
    found = np.zeros((size, size), bool)
    found[first, second] = way > 0
    found[second, first] = way < 0
    return found


def _at_least(number: int) -> int:
    """The first of 1, 2, 3, 4, 6, 8, 12, 16, … that isn't below a number."""
    power = 1 << (number - 1).bit_length()
    return power * 3 // 4 if power >= 4 and number <= power * 3 // 4 else power


def neighbours(
    order: Sequence[str],
    replicas: Mapping[str, Sequence[float]],
    counts: tuple[int, ...],
    error_rate: float,
    tie: float | None = None,
) -> list[Neighbours]:
    """What is known of each entrant, in the order of scores, and the next one.

    `replicas` are the scores of each in its replicas, the same deals at the same place, or other values of the same
    means; `counts` are the looks. With a chance of 1 − `error_rate` all that this ever calls settled is in the true
    order, and all that it calls tied is within `tie`. Neighbours that are surely the other way round are open. Where
    there may be ties, all pairs keep their share of the rate to the end.
    """
    pairs = max(1, len(order) * (len(order) - 1) // 2)
    sure = apart([replicas[name] for name in order], counts, error_rate) if tie is None else None
    found = []
    for place, (ahead, behind) in enumerate(itertools.pairwise(order)):
        verdict: Verdict = "open"
        if sure is not None:
            verdict = "settled" if sure[place, place + 1] else "open"
        elif tie is not None:
            differences = [a - b for a, b in zip(replicas[ahead], replicas[behind])]
            low, high = sure_interval(differences, counts, error_rate / pairs)
            verdict = "settled" if low > 0 else "tied" if -tie < low and high < tie else "open"
        found.append(Neighbours(ahead, behind, verdict))
    return found


def wanted_replicas(found: Sequence[Neighbours], played: Mapping[str, int], counts: tuple[int, ...]) -> dict[str, int]:
    """How many replicas each entrant is to have after the next round, by how many it has; only those with more."""
    wanted: dict[str, int] = {}
    for pair in found:
        if pair.verdict == "open":
            fewer = min(played[pair.ahead], played[pair.behind])
            next_count = next((count for count in counts if count > fewer), fewer)
            for name in (pair.ahead, pair.behind):
                if next_count > played[name]:
                    wanted[name] = max(next_count, wanted.get(name, 0))
    return wanted
