"""Standard errors of scores.

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

import numpy as np
import numpy.typing as npt


def error_over_sessions(sessions: int, points: float, squared_points: float) -> float | None:
    """Standard error of a sum of `sessions` independent values."""
    if sessions < 2:
        return None
    variance = max(0.0, squared_points - points * points / sessions) / (sessions - 1)
    return math.sqrt(sessions * variance)


def errors_over_sessions(
    sessions: npt.NDArray[np.int64], points: npt.NDArray[np.float64], squared_points: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """The same of several sums, NaN where it can't be told."""
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


def error_of_sum(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> tuple[float | None, int]:
    """Standard error of the sum of blocks of these weights, and its degrees of freedom."""
    ((error,), (freedom,)) = errors_of_sums(blocks[np.newaxis], weights[np.newaxis])
    return (float(error) if freedom > 0 else None), int(freedom)


def errors_of_sums(
    blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Of each row the standard error, NaN where it can't be told, and its degrees of freedom, 0 there."""
    residuals, count = _residuals(blocks, weights)
    freedom = np.maximum(count - 1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(count / freedom * np.einsum("ij,ij->i", residuals, residuals))
    return np.where(freedom > 0, errors, np.nan), freedom


def joint_residuals(blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each row of blocks a row such that products of two of them add up to the covariance of the two sums."""
    residuals, count = _residuals(blocks, weights)
    return residuals * np.sqrt(count / np.maximum(count - 1, 1))[:, np.newaxis]


def _residuals(
    blocks: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """What the blocks of each row differ from their share of its sum, and how many blocks are used."""
    used = weights > 0
    means = blocks.sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    return np.where(used, blocks - weights * means[:, np.newaxis], 0.0), used.sum(axis=1)
