"""Which entrants can be told apart, and between which ranks each of them is.

All pairs are compared at once: Student's t of the difference of two scores, and Holm's correction for the number of
pairs (S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979), which holds however the pairs depend
on each other. An entrant's first possible rank is one more than the number of those surely ahead of it, its last one
what those surely behind it leave (T. Klein, T. Wright and J. Wieczorek, "A Joint Confidence Region for an Overall
Ranking of Populations", 2020; M. Mogstad, J. Romano, A. Shaikh and D. Wilhelm, "Inference for Ranks", 2024). With a
chance of 95% all true ranks lie within their bounds at once.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats, Whole
from tournament.standings.standard_errors import Differences

ERROR_RATE = 0.05  # of one wrong statement or more, among all pairs


def surely_ahead(differences: Differences, error_rate: float = ERROR_RATE) -> npt.NDArray[np.bool_]:
    """Whether each entrant, by row, is surely ahead of each other one, by column."""
    count = len(differences.means)
    ahead = np.zeros((count, count), bool)
    upper = np.triu_indices(count, 1)
    sure = np.flatnonzero(surely_apart(differences.chances[upper], error_rate))
    rows, columns, positive = upper[0][sure], upper[1][sure], differences.means[upper][sure] > 0
    ahead[np.where(positive, rows, columns), np.where(positive, columns, rows)] = True
    return ahead


def surely_apart(chances: Floats, error_rate: float = ERROR_RATE) -> npt.NDArray[np.bool_]:
    """Which pairs differ, by the chance of each to seem so if it didn't: all of them at once, by Holm's correction."""
    order = np.argsort(chances, kind="stable")
    stands = chances[order] * np.arange(len(order), 0, -1) <= error_rate
    found = np.zeros(len(order), bool)
    found[order[np.logical_and.accumulate(stands)]] = True
    return found


def rank_bounds(ahead: npt.NDArray[np.bool_], unknown: npt.NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """Return the first and the last possible rank of each entrant. Entrants come in the order of scores.

    Bounds are loosened until no one's are better than those of one who scored more: they still hold.

    Args:
        ahead: Whether each entrant, by row, is surely ahead of each other one, by column.
        unknown: Entrants of whose scores nothing is known, which loosen no other's bounds.
    """
    count = len(ahead)
    if not count:
        return []
    return loosened(1 + ahead.sum(axis=0), count - ahead.sum(axis=1), unknown)


def loosened(first: Whole, last: Whole, unknown: npt.NDArray[np.bool_] | None = None) -> list[tuple[int, int]]:
    """Return first and last possible ranks, loosened until no bot's are better than those of one that scored more.

    Those of bots of whose scores nothing is known stay as they are.
    """
    first, last = first.copy(), last.copy()
    known = np.ones(len(first), bool) if unknown is None else ~unknown
    first[known] = np.minimum.accumulate(first[known][::-1])[::-1]
    last[known] = np.maximum.accumulate(last[known])
    return list(zip(first.tolist(), last.tolist()))


def with_implied(ahead: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The transitive closure: who is surely ahead of one is so of all behind that one (S. Warshall, 1962)."""
    count = len(ahead)
    behind = np.packbits(ahead, axis=1)  # a bit for each entrant that is behind
    for middle in range(count):
        before = (behind[:, middle // 8] >> (7 - middle % 8)) & 1
        behind[before.astype(bool)] |= behind[middle]
    return np.unpackbits(behind, axis=1, count=count).astype(bool)


def nearest_behind(ahead: npt.NDArray[np.bool_]) -> list[list[int]]:
    """For each entrant those surely behind it with no one surely between, of an order with all that it implies.

    The rest follows from these: they are its transitive reduction.
    """
    behind = np.packbits(ahead, axis=1)
    implied = (np.bitwise_or.reduce(behind[row], axis=0) for row in ahead)
    return [np.flatnonzero(np.unpackbits(own & ~far, count=len(ahead))).tolist() for own, far in zip(behind, implied)]
