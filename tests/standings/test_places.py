"""Bounds of all ranks at once, by which bots are told apart."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from tournament.standings.rank_bounds import rank_bounds, significantly_ahead
from tournament.standings.standard_errors import Differences
from tournament.standings.student_t import quantile

Floats = npt.NDArray[np.float64]
BLOCKS = 32


def residuals_of(blocks: Floats) -> Floats:
    """Return the residuals of equal blocks, a row for each entrant."""
    count = blocks.shape[1]
    away: Floats = (blocks - blocks.mean(axis=1, keepdims=True)) * math.sqrt(count / (count - 1))
    return away


def differences_of(scores: Floats, residuals: Floats, freedom: int = BLOCKS - 1) -> Differences:
    means = scores[:, np.newaxis] - scores
    variances = ((residuals[:, np.newaxis] - residuals) ** 2).sum(axis=2)
    return Differences(means, variances, np.full(means.shape, float(freedom)))


def test_rank_bounds_separate_distant_scores_and_join_equal_ones() -> None:
    residuals = residuals_of(np.random.default_rng(1).normal(size=(4, BLOCKS)))

    def bounds(scores: list[float], residuals: Floats, freedom: int = BLOCKS - 1) -> list[tuple[int, int]]:
        return rank_bounds(significantly_ahead(differences_of(np.array(scores), residuals, freedom)))

    assert bounds([900, 500, 0, -400], residuals) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert bounds([900, 3, 2, -400], residuals) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert bounds([0, 0, 0, 0], residuals, 0) == [(1, 4)] * 4
    # Without any variance the order is certain, and equals share a place.
    assert bounds([3, 2, 2, 1], np.zeros((4, BLOCKS))) == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_pairs_are_tested_in_steps_by_holms_correction() -> None:
    """Give the clearest of three pairs a third of the error rate, the next one half, the last all.

    Differences are in standard errors: each entrant has half a unit of variance of its own.
    """
    residuals = np.sin(np.outer([1, 2, 3], 2 * np.pi * np.arange(BLOCKS) / BLOCKS)) / math.sqrt(BLOCKS)
    whole, half, third = (quantile(1 - 0.025 / pairs, BLOCKS - 1) for pairs in (1, 2, 3))

    def told(*scores: float) -> list[list[int]]:
        ahead: list[list[int]] = np.argwhere(significantly_ahead(differences_of(np.array(scores), residuals))).tolist()
        return ahead

    assert told(100.0, (whole + half) / 2, 0.0) == [[0, 1], [0, 2], [1, 2]]
    assert told(100.0, whole - 0.1, 0.0) == [[0, 1], [0, 2]]
    assert told(whole + half, (whole + half) / 2, 0.0) == [[0, 2]], "no pair comes after one that is not told apart"
    assert told(third - 0.1, 0.0, 0.0) == []
