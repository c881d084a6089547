"""Standard errors of scores.

All pairings see the same deals by default, and bots keep their memory over a
leg, so neither the matches of an entrant nor its sessions are independent. The
sessions of a leg are therefore cut into equal blocks; the sums of an entrant over
all its matches, block by block, are nearly independent, and their spread gives
the error of its score (the method of batch means: Law and Carson, "A sequential
procedure for determining the length of a steady-state simulation", 1979).

What a bot learns changes slowly, so that neighbouring blocks are alike and their spread
is too small. Where von Neumann's ratio shows it, at a level of 20%, the error of a
score comes from blocks twice as long, then from blocks four times as long (G. Fishman and
L. Yarberry, "An Implementation of the Batch Means Method", 1997).

Against house players the blocks are those of the games of a leg, and the score is
a function of the sum rather than the sum itself: each block is scaled by the slope of
the contest's score (the delta method).
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt


def errors_over_sessions(
    sessions: npt.NDArray[np.int64], points: npt.NDArray[np.float64], squared_points: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Standard errors of sums of so many independent `sessions` each, NaN where it can't be told."""
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(0.0, squared_points - points * points / sessions) / (sessions - 1)
        errors = np.sqrt(sessions * variance)
    return np.where(sessions < 2, np.nan, errors)


def block_sizes(sessions: npt.ArrayLike, blocks: int) -> npt.NDArray[np.float64]:
    """How many of so many sessions, or games, are in each block: number s of n is in block ⌊s·blocks/n⌋.

    A row for each of several numbers of sessions.
    """
    edges = -(-np.arange(blocks + 1) * np.asarray(sessions, np.int64)[..., np.newaxis] // blocks)
    return np.diff(edges).astype(np.float64)


_FEWEST_BLOCKS = 8
_ALIKE = 0.8416  # the quantile of the normal distribution for 80%


def error_of_sum(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float | None, int]:
    """Standard error of the sum of blocks of these weights, and its degrees of freedom.

    The blocks are in the order in which they were played; they are made longer while neighbours are alike.
    """
    while len(blocks) >= 2 * _FEWEST_BLOCKS and (weights > 0).all() and _are_alike(blocks, weights):
        blocks, weights = blocks.reshape(-1, 2).sum(axis=1), weights.reshape(-1, 2).sum(axis=1)
    ((error,), (freedom,)) = errors_of_sums(blocks[np.newaxis], weights[np.newaxis])
    return (float(error) if freedom > 0 else None), int(freedom)


def _are_alike(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> bool:
    """Whether neighbours differ by less than independent blocks do in four of five cases (J. von Neumann,
    "Distribution of the Ratio of the Mean Square Successive Difference to the Variance", 1941)."""
    count = len(blocks)
    (residuals,), _ = _residuals(blocks[np.newaxis], weights[np.newaxis])
    squares = float(np.square(residuals).sum())
    ratio = float(np.square(np.diff(residuals)).sum()) / (2 * squares) if squares > 0 else 1.0
    return 1 - ratio > _ALIKE * math.sqrt((count - 2) / (count * count - 1))


def errors_of_sums(
    blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The standard error of each row, NaN where it can't be told, and its degrees of freedom, 0 there."""
    residuals, count = _residuals(blocks, weights)
    freedom = np.maximum(count - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(count / freedom * np.einsum("ij,ij->i", residuals, residuals))
    return np.where(freedom > 0, errors, np.nan), freedom


def joint_residuals(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rows of residuals, one for each row of blocks: products of two add up to the covariance of the two sums."""
    residuals, count = _residuals(blocks, weights)
    return residuals * np.sqrt(count / np.maximum(count - 1, 1))[:, np.newaxis]


def _residuals(
    blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """How the blocks of each row differ from their share of its sum, and how many blocks are used."""
    used = weights > 0
    means = blocks.sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return np.where(used, blocks - weights * means[:, np.newaxis], 0.0), used.sum(axis=1)


def correlation(
    first: npt.NDArray[np.float64], second: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> float:
    """The correlation of two sums of blocks with the same weights, a row for each leg; 0 where one has no spread.

    -1 to the last bit where one is the other, negated.
    """
    (one, _), (other, _) = _residuals(first, weights), _residuals(second, weights)
    squares = float(np.square(one).sum()) * float(np.square(other).sum())
    return float((one * other).sum()) / math.sqrt(squares) if squares > 0 else 0.0


def error_of_difference(first: float, second: float, correlation: float) -> float:
    """The standard error of the difference of two sums with these errors; 0 where only rounding is left."""
    variance = first * first + second * second - 2 * correlation * first * second
    return math.sqrt(variance) if variance > 1e-12 * (first * first + second * second) else 0.0
