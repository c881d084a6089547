"""Significant differences between entrants, and the bounds of their ranks.

All pairs are compared simultaneously. The tests are Student's t for the difference of two scores, with Holm's
correction for the number of pairs (S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979). It is
valid no matter how the pairs depend on each other.

An entrant's first possible rank is one more than the number of entrants that are significantly ahead of it. Its last
possible rank follows from the number of those significantly behind it (T. Klein, T. Wright and J. Wieczorek, "A Joint
Confidence Region for an Overall Ranking of Populations", 2020, and M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm,
"Inference for Ranks", 2024). With a probability of 95% all true ranks are simultaneously within their bounds.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats, Ints
from tournament.standings.standard_errors import Differences

# Probability of one or more wrong statements among all pairs.
ERROR_RATE = 0.05


def significantly_ahead(differences: Differences, error_rate: float = ERROR_RATE) -> npt.NDArray[np.bool_]:
    """Return whether each entrant, by row, is significantly ahead of each other one, by column.

    Differences with unknown errors are never significant.

    Args:
        differences: Differences of scores.
        error_rate: Probability of one or more wrong statements.
    """
    count = len(differences.means)
    ahead = np.zeros((count, count), bool)
    upper = np.triu_indices(count, 1)
    significant = np.flatnonzero(significantly_different(differences.chances[upper], error_rate))
    rows, columns, positive = upper[0][significant], upper[1][significant], differences.means[upper][significant] > 0
    ahead[np.where(positive, rows, columns), np.where(positive, columns, rows)] = True
    return ahead


def significantly_different(chances: Floats, error_rate: float = ERROR_RATE) -> npt.NDArray[np.bool_]:
    """Return whether each pair differs significantly, in the order of the p-values, by Holm's correction.

    Args:
        chances: p-value of each pair.
        error_rate: Probability of one or more wrong statements.
    """
    order = np.argsort(chances, kind="stable")
    passes = chances[order] * np.arange(len(order), 0, -1) <= error_rate
    differs = np.zeros(len(order), bool)
    differs[order[np.logical_and.accumulate(passes)]] = True
    return differs


def rank_bounds(ahead: npt.NDArray[np.bool_], unknown: npt.NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """Return the first and the last possible rank of each entrant, counted from 1, in the order of scores.

    Bounds are widened so that they increase in the order of scores. They remain valid.

    Args:
        ahead: Whether each entrant, by row, is significantly ahead of each other one, by column. Both are in the order
            of scores, the best first.
        unknown: Flag for each entrant that shows whether the error of its score is unknown. The bounds of such entrants
            widen no other bounds. None if all errors are known.
    """
    count = len(ahead)
    if not count:
        return []
    return monotone_bounds(1 + ahead.sum(axis=0), count - ahead.sum(axis=1), unknown)


def monotone_bounds(first: Ints, last: Ints, unknown: npt.NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """Return first and last possible ranks, widened so that they increase in the order of scores.

    Args:
        first: First possible rank of each entrant, in the order of scores, the best first. It isn't changed.
        last: Last possible rank of each entrant. It isn't changed.
        unknown: Flag for each entrant that shows whether the error of its score is unknown. The bounds of such entrants
            remain as they are. None if all errors are known.
    """
    first, last = first.copy(), last.copy()
    is_known = np.ones(len(first), bool) if unknown is None else ~unknown
    first[is_known] = np.minimum.accumulate(first[is_known][::-1])[::-1]
    last[is_known] = np.maximum.accumulate(last[is_known])
    return list(zip(first.tolist(), last.tolist()))


def transitive_closure(ahead: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the transitive closure of an order, as a new matrix (S. Warshall, 1962).

    Args:
        ahead: Whether each entrant, by row, is ahead of each other one, by column.
    """
    count = len(ahead)
    # A bit for each entrant that is behind.
    behind = np.packbits(ahead, axis=1)
    for middle in range(count):
        before = (behind[:, middle // 8] >> (7 - middle % 8)) & 1
        behind[before.astype(bool)] |= behind[middle]
    return np.unpackbits(behind, axis=1, count=count).astype(bool)


def nearest_behind(ahead: npt.NDArray[np.bool_]) -> list[list[int]]:
    """Return the transitive reduction of an order: for each entrant those behind it with none in between.

    They are ascending indices.

    Args:
        ahead: Whether each entrant, by row, is ahead of each other one, by column, including all that is implied.
    """
    behind = np.packbits(ahead, axis=1)
    implied = (np.bitwise_or.reduce(behind[row], axis=0) for row in ahead)
    return [np.flatnonzero(np.unpackbits(own & ~far, count=len(ahead))).tolist() for own, far in zip(behind, implied)]
