"""When the order is settled: confidence sequences for the differences of all pairs, right at every moment at once.

A replica gives each pair one difference, independent of those before. The Bayes factor of a normal effect against a
mean of m, whatever the variance, is a martingale under m; so with probability 1 − α it stays below 1/α for ever, and
the m for which it does so are a confidence sequence: an interval after each replica, all of which hold at once, however
one decides when to stop (T. L. Lai, "On Confidence Sequences", 1976; H. Wang and A. Ramdas, "Anytime-valid t-tests and
confidence sequences for Gaussian means with unknown variance", 2025; on the idea, S. Howard, A. Ramdas, J. McAuliffe
and J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence sequences", 2021). α is shared out among all
pairs, so that neighbours may be chosen by looking. Sums over whole matches are taken to be normal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

Verdict = Literal["settled", "tied", "open"]

# Of an effect in standard deviations of a replica's difference, in units of which it is taken to be spread beforehand.
_EFFECT_VARIANCE = 0.25
FEWEST_REPLICAS = 4  # of all, before anything is decided
_GROWTH = 0.25  # of replicas in a round


@dataclass(frozen=True)
class Neighbours:
    """Two entrants next to each other by score, and what is known of their order."""

    ahead: str
    behind: str
    verdict: Verdict


@cache
def reach(count: int, error_rate: float) -> float:
    """So many standard errors of the mean of `count` values the confidence sequence reaches; infinite with too few."""
    if count < 2:
        return math.inf
    more = 1 + count * _EFFECT_VARIANCE
    level = math.exp(2 / count * (0.5 * math.log(more) - math.log(error_rate)))
    return math.inf if level >= more else math.sqrt((count - 1) * (level - 1) / (1 - level / more))


def sure_interval(differences: Sequence[float], error_rate: float) -> tuple[float, float]:
    """Where the mean lies by all the intervals of a confidence sequence together."""
    values = np.asarray(differences, np.float64)
    low, high = -math.inf, math.inf
    counts = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / counts
    squares = np.maximum(np.cumsum(values * values) - counts * means**2, 0.0)
    for count in range(2, len(values) + 1):
        error = math.sqrt(squares[count - 1] / (count - 1) / count)
        wide = reach(count, error_rate)
        if math.isfinite(wide):
            low = max(low, float(means[count - 1]) - wide * error)
            high = min(high, float(means[count - 1]) + wide * error)
    return low, high


def neighbours(
    order: Sequence[str], replicas: Mapping[str, Sequence[float]], error_rate: float, tie: float | None = None
) -> list[Neighbours]:
    """What is known of each entrant, in the order of scores, and the next one.

    `replicas` are the scores of each in its replicas, the same deals at the same place. With a chance of 1 −
    `error_rate` all that this ever calls settled is in the true order, and all that it calls tied is within `tie`.
    """
    pairs = max(1, len(order) * (len(order) - 1) // 2)
    found = []
    for ahead, behind in itertools.pairwise(order):
        low, high = sure_interval([a - b for a, b in zip(replicas[ahead], replicas[behind])], error_rate / pairs)
        verdict: Verdict = "open"
        if low > 0 or high < 0:
            verdict = "settled"
        elif tie is not None and -tie < low and high < tie:
            verdict = "tied"
        found.append(Neighbours(ahead, behind, verdict))
    return found


def wanted_replicas(found: Sequence[Neighbours], counts: Mapping[str, int], most: int) -> dict[str, int]:
    """How many replicas each entrant is to have after the next round, by how many it has; only of those with more."""
    wanted: dict[str, int] = {}
    for pair in found:
        if pair.verdict == "open":
            fewer = min(counts[pair.ahead], counts[pair.behind])
            next_count = min(most, fewer + max(1, round(_GROWTH * fewer)))
            for name in (pair.ahead, pair.behind):
                if next_count > counts[name]:
                    wanted[name] = max(next_count, wanted.get(name, 0))
    return wanted
