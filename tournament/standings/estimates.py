"""Standard errors, intervals and order probabilities of scores.

All pairings see the same deals by default, and bots keep their memory over a
leg, so neither the matches of an entrant nor its sessions are independent. The
sessions of a leg are therefore cut into equal blocks; the sums of an entrant over
all its matches, block by block, are nearly independent, and their spread gives
the error of its score (the method of batch means: Law and Carson, "A sequential
procedure for determining the length of a steady-state simulation", 1979).

Against house players the blocks are those of the games of a leg, and the score is
a function of the sum rather than the sum itself: each block is scaled by the slope of
the contest's score (the delta method).
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

_BOOTSTRAPS = 4000


def error_over_sessions(sessions: int, points: float, squared_points: float) -> float | None:
    """Standard error of a sum of `sessions` independent values."""
    if sessions < 2:
        return None
    variance = max(0.0, squared_points - points * points / sessions) / (sessions - 1)
    return math.sqrt(sessions * variance)


def block_sizes(sessions: npt.ArrayLike, blocks: int) -> npt.NDArray[np.float64]:
    """How many of so many sessions, or games, are in each block: number s of n is in block ⌊s·blocks/n⌋.

    A row for each of several numbers of sessions.
    """
    edges = -(-np.arange(blocks + 1) * np.asarray(sessions, np.int64)[..., np.newaxis] // blocks)
    return np.diff(edges).astype(np.float64)


def error_of_sum(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float | None, int]:
    """Standard error of the sum of blocks of these weights, and its degrees of freedom."""
    ((error,), (freedom,)) = errors_of_sums(blocks[np.newaxis], weights[np.newaxis])
    return (float(error) if freedom > 0 else None), int(freedom)


def errors_of_sums(
    blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Of each row the standard error, NaN where it can't be told, and its degrees of freedom, 0 there."""
    used = weights > 0
    count = used.sum(axis=1)
    means = blocks.sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    residuals = np.where(used, blocks - weights * means[:, np.newaxis], 0.0)
    freedom = np.maximum(count - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(count / freedom * np.einsum("ij,ij->i", residuals, residuals))
    return np.where(freedom > 0, errors, np.nan), freedom


def student_quantile(probability: float, freedom: int) -> float:
    """Quantile of Student's t, to 0.1%, from 5 degrees of freedom on, 0.975 from 1 (Abramowitz and Stegun, 26.7.5)."""
    if probability == 0.975 and freedom < 5:
        return (math.inf, 12.7062, 4.3027, 3.1824, 2.7764)[freedom]
    z = NormalDist().inv_cdf(probability)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))


@cache
def _resamplings(count: int) -> npt.NDArray[np.float64]:
    """How often each of so many blocks is drawn, a row for each resampling."""
    chance = np.random.default_rng(1)
    return chance.multinomial(count, np.full(count, 1 / count), size=_BOOTSTRAPS).astype(np.float64)


def order_probabilities(points: npt.NDArray[np.float64]) -> list[float]:
    """For each row and the next: the share of resamplings of the blocks in which the first has more (a tie is half)."""
    # Not by @, whose library has threads of its own that stop for good when a process is started in the middle.
    differences = np.einsum("bk,rk->br", _resamplings(points.shape[1]), points[:-1] - points[1:])
    return [float(p) for p in ((differences > 0) + 0.5 * (differences == 0)).mean(axis=0)]
