"""Bounds of all ranks at once, by which bots are told apart."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.exact_scores import match_value
from tests.oracles.von_neumann_poker import Bot
from tests.support import play_core
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


def test_far_apart_all_have_a_place_of_their_own_and_equal_ones_share_it() -> None:
    chance = np.random.default_rng(1)
    noise = chance.normal(size=(4, BLOCKS))
    residuals = residuals_of(noise)
    apart = significantly_ahead(differences_of(np.array([900.0, 500.0, 0.0, -400.0]), residuals))
    assert rank_bounds(apart) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    shared = significantly_ahead(differences_of(np.array([900.0, 3.0, 2.0, -400.0]), residuals))
    assert rank_bounds(shared) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert rank_bounds(significantly_ahead(differences_of(np.zeros(4), residuals, 0))) == [(1, 4)] * 4
    assert rank_bounds(significantly_ahead(differences_of(np.array([2.0, 1.0]), np.zeros((2, BLOCKS)), 31))) == [
        (1, 1),
        (2, 2),
    ]


def test_pairs_are_tested_step_by_step_until_one_is_not_told_apart() -> None:
    """Holm's correction: of three pairs the clearest needs a third of the error rate, the next one half, the last all.

    Differences are in standard errors: each entrant has half a unit of variance of its own.
    """
    residuals = np.sin(np.outer([1, 2, 3], 2 * np.pi * np.arange(BLOCKS) / BLOCKS)) / math.sqrt(BLOCKS)
    whole, half, third = (quantile(1 - 0.025 / pairs, BLOCKS - 1) for pairs in (1, 2, 3))

    def told(*scores: float) -> list[tuple[int, int]]:
        ahead = significantly_ahead(differences_of(np.array(scores), residuals))
        return [(int(row), int(column)) for row, column in np.argwhere(ahead)]

    assert told(100.0, (whole + half) / 2, 0.0) == [(0, 1), (0, 2), (1, 2)]
    assert told(100.0, whole - 0.1, 0.0) == [(0, 1), (0, 2)]
    assert told(whole + half, (whole + half) / 2, 0.0) == [(0, 2)], "no pair comes after one that is not told apart"
    assert told(third - 0.1, 0.0, 0.0) == []


@given(st.integers(0, 2**32), st.integers(2, 9))
def test_bounds_are_ranks_that_get_no_better_down_the_list(seed: int, count: int) -> None:
    chance = np.random.default_rng(seed)
    scores = -np.sort(-chance.normal(0, 10, count))
    residuals = residuals_of(chance.normal(size=(count, BLOCKS)) * chance.exponential(2, (count, 1)))
    ahead = significantly_ahead(differences_of(scores, residuals))
    assert not (ahead & ahead.T).any()
    bounds = rank_bounds(ahead)
    assert bounds == sorted(bounds) and [high for _, high in bounds] == sorted(high for _, high in bounds)
    for rank, (low, high) in enumerate(bounds, 1):
        assert 1 <= low <= rank <= high <= count


def _plain(above: float, calls: float, bet: int) -> Bot:
    return Bot(lambda view: bet if view.card > above else 0, lambda view, _bet: int(view.card > calls))


@pytest.mark.statistical
def test_exact_scores_are_those_of_play() -> None:
    x, y = _plain(0.7, 0.5, 20), _plain(0.2, 0.1, 40)
    sessions = 1500
    record = play_core(x, y, 11, sessions=sessions, capacities=(200_000, sessions))
    points = np.array([session.points_0 for session in record.sessions])
    error = points.std() * math.sqrt(sessions)
    value = match_value(x, y, sessions, 10)
    assert abs(points.sum() - value) < 3.5 * error
    assert value > 5 * error, "a match that tells little"
