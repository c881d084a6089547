"""Errors of scores and of differences from the values of each replica, in plain loops.

Values are, for each match, its two bots and their points in each replica.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

Matches = Sequence[tuple[tuple[str, str], Sequence[tuple[float, float]]]]
Told = tuple[float, float]  # a variance, and its degrees of freedom


def summed(strata: Sequence[tuple[float, int]]) -> Told:
    """Return the variance of a sum of means, each with its variance and degrees of freedom."""
    total = sum(variance for variance, _ in strata)
    weighed = sum(variance**2 / (freedom + 2) for variance, freedom in strata)
    fewest = min(freedom for _, freedom in strata)
    return total, max(fewest, total**2 / weighed - 2) if weighed else fewest


def of_mean(values: Sequence[float]) -> tuple[float, int]:
    return statistics.variance(values) / len(values), len(values) - 1


def of_score(name: str, matches: Matches) -> Told:
    return summed([of_mean([one[pair.index(name)] for one in replicas]) for pair, replicas in matches if name in pair])


def of_difference(one: str, other: str, matches: Matches) -> Told:
    """Return the variance of one score less the other, when both have met equally many."""
    strata = []
    for pair, replicas in matches:
        if {one, other} == set(pair):
            first = pair.index(one)
            strata.append(of_mean([both[first] - both[1 - first] for both in replicas]))
        elif one in pair or other in pair:
            mine = pair.index(one if one in pair else other)
            strata.append(of_mean([both[mine] for both in replicas]))
    return summed(strata)
