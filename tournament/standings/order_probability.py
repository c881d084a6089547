"""How probable it is that an entrant is better than the next one by score.

Neighbours by score differ less in truth than they seem to, so what is known of the whole field counts (empirical Bayes:
B. Efron and C. Morris, "Data Analysis Using Stein's Estimator and its Generalizations", 1975). A field may consist of
clusters far from each other, with twins in them. So true scores are taken to be normal about the mean of their
cluster, which may lie anywhere; clusters are runs of the order of scores, and how many there are and how far their
members are apart is open. Clusters come as in a Dirichlet process (T. Ferguson, 1973), restricted to runs; sums over
all ways to cut the order are by dynamic programming, as for change points (D. Barry and J. Hartigan, "Product
Partition Models for Change Point Problems", 1992).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournament.arrays import Floats, Whole
from tournament.standings.student import two_sided_tail

FEWEST_FOR_A_PRIOR = 5  # entrants
_MOST_TOGETHER = 100  # in a cluster
# The spread within clusters, from so many standard errors of a score to so many standard deviations of all scores.
_NARROWEST, _WIDEST, _WIDTHS = 0.2, 2.0, 10
_CONCENTRATIONS = (0.3, 1.0, 3.0)  # of the Dirichlet process: with more there are more clusters


def order_probabilities(scores: Floats, residuals: Floats, freedom: int) -> list[float]:
    """For each entrant and the next one in the order of scores: how probable it is that the first is the better one.

    Rows of `residuals` are as in `surely_ahead`. Half where nothing can be said. In fields below five entrants nothing
    is taken to be known beforehand: it is Student's distribution function at the difference.
    """
    if freedom < 1:
        return [0.5] * (len(scores) - 1)
    variances = np.einsum("ib,ib->i", residuals[:-1] - residuals[1:], residuals[:-1] - residuals[1:])
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num((scores[:-1] - scores[1:]) / np.sqrt(variances), nan=0.0, posinf=np.inf, neginf=-np.inf)
    alone = _distribution(t, freedom)
    own = residuals - residuals.mean(axis=0)  # what all have in common changes no order
    errors = np.einsum("ib,ib->i", own, own) * len(scores) / max(1, len(scores) - 1)
    if len(scores) < FEWEST_FOR_A_PRIOR or not errors.any():
        return list(map(float, alone))
    clusters = _Clusters.of(scores, errors)
    spread = 2 * clusters.widths[:, np.newaxis] ** 2
    together = _distribution(t * np.sqrt(spread / (spread + variances)), freedom)
    found = clusters.weights @ (clusters.cut * alone + (1 - clusters.cut) * together)
    return list(map(float, found))


def _distribution(t: Floats, freedom: int) -> Floats:
    tails = two_sided_tail(t, freedom) / 2
    return np.where(t >= 0, 1 - tails, tails)


@dataclass(frozen=True)
class _Clusters:
    """Ways to cut scores into clusters, for each of several priors: a spread within clusters and a concentration.

    `scores` come in order, with the variances of their `errors`. `widths` and `concentrations` have one for each prior.
    """

    scores: Floats
    errors: Floats
    widths: Floats
    concentrations: Floats

    @classmethod
    def of(cls, scores: Floats, errors: Floats) -> _Clusters:
        least = _NARROWEST * math.sqrt(errors.mean())
        most = max(_WIDEST * float(np.std(scores, ddof=1)), 2 * least)
        widths = np.geomspace(least, most, _WIDTHS)
        return cls(
            scores - scores.mean(),
            errors,
            np.repeat(widths, len(_CONCENTRATIONS)),
            np.tile(_CONCENTRATIONS, _WIDTHS),
        )

    @cached_property
    def weights(self) -> Floats:
        """How probable each prior is by the scores, of those that are equally probable beforehand."""
        size = len(self.scores)
        ways = np.log(self.concentrations[:, np.newaxis] + np.arange(size)).sum(axis=1)
        evidence = self._before[:, size] - ways
        weights = np.exp(evidence - evidence.max())
        return np.asarray(weights / weights.sum())

    @cached_property
    def cut(self) -> Floats:
        """How probable it is that a cluster ends between two neighbours, a row for each prior."""
        size = len(self.scores)
        return np.asarray(np.exp(self._before[:, 1:size] + self._after[:, 1:size] - self._before[:, size:]))

    @cached_property
    def _before(self) -> Floats:
        """The logarithm of the likelihood of the first scores, summed over all ways to cut these."""
        found = np.zeros((len(self.widths), len(self.scores) + 1))
        for end in range(1, len(self.scores) + 1):
            starts = np.arange(max(0, end - _MOST_TOGETHER), end)
            found[:, end] = _log_of_sum(found[:, starts] + self._cluster(starts, np.array([end])))
        return found

    @cached_property
    def _after(self) -> Floats:
        """The same of the last scores."""
        size = len(self.scores)
        found = np.zeros((len(self.widths), size + 1))
        for start in range(size - 1, -1, -1):
            ends = np.arange(start + 1, min(size, start + _MOST_TOGETHER) + 1)
            found[:, start] = _log_of_sum(found[:, ends] + self._cluster(np.array([start]), ends))
        return found

    def _cluster(self, start: Whole, end: Whole) -> Floats:
        """The logarithm of a cluster's prior and likelihood, for each prior, and each start or end.

        Its mean may be anywhere from the least score to the greatest.
        """
        weight, first, second, logarithm = (sums[:, end] - sums[:, start] for sums in self._sums)
        size = end - start
        likelihood = (logarithm - (second - first * first / weight) - np.log(weight / (2 * math.pi))) / 2
        room = np.ptp(self.scores) + math.sqrt(self.errors.mean())
        return np.asarray(
            likelihood - np.log(room) + self._log_factorials[size - 1] + np.log(self.concentrations)[:, np.newaxis]
        )

    @cached_property
    def _sums(self) -> tuple[Floats, ...]:
        """Running sums of the scores' weights, of weighted scores and their squares, and of log(weight / 2π)."""
        weights = 1 / (self.widths[:, np.newaxis] ** 2 + self.errors)
        values = (weights, weights * self.scores, weights * self.scores**2, np.log(weights / (2 * math.pi)))
        return tuple(np.pad(np.cumsum(value, axis=1), ((0, 0), (1, 0))) for value in values)

    @cached_property
    def _log_factorials(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, len(self.scores) + 1)))])


def _log_of_sum(logarithms: Floats) -> Floats:
    """The logarithm of the sum of each row's numbers, of which these are the logarithms."""
    most = logarithms.max(axis=1, keepdims=True)
    return np.asarray(most[:, 0] + np.log(np.exp(logarithms - most).sum(axis=1)))
