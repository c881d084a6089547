"""Who can be told apart: bounds of ranks, all at once, and the probability of each neighbours' order."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.exact_scores import match_value
from tests.oracles.von_neumann_poker import Bot
from tests.support import play_core
from tournament.standings.errors import Differences, variances_of_differences
from tournament.standings.places import order_probabilities, rank_bounds, surely_ahead
from tournament.standings.student import quantile, two_sided_tail

Floats = npt.NDArray[np.float64]
BLOCKS = 32


def residuals_of(blocks: Floats) -> Floats:
    """Of equal blocks, a row for each entrant."""
    count = blocks.shape[1]
    away: Floats = (blocks - blocks.mean(axis=1, keepdims=True)) * math.sqrt(count / (count - 1))
    return away


def differences_of(scores: Floats, residuals: Floats, freedom: int = BLOCKS - 1) -> Differences:
    means = scores[:, np.newaxis] - scores
    return Differences(means, ((variances_of_differences(residuals), freedom),) if freedom else ())


def test_the_tail_and_the_quantile_are_inverse() -> None:
    for freedom, chance in itertools.product((1, 2, 3, 9, 31, 319), (0.5, 0.05, 1e-3, 1e-6, 1e-9)):
        assert float(two_sided_tail(quantile(1 - chance / 2, freedom), freedom)) == pytest.approx(chance, rel=1e-5)


def test_the_tail_of_one_and_two_degrees_in_closed_form() -> None:
    """1 − 2/π arctan t, and 1 − t/√(2 + t²)."""
    t = np.array([0.0, 0.3, 1.0, 5.0, 40.0])
    assert two_sided_tail(t, 1) == pytest.approx(1 - 2 / math.pi * np.arctan(t), abs=1e-14)
    assert two_sided_tail(-t, 2) == pytest.approx(1 - t / np.sqrt(2 + t * t), abs=1e-14)


def test_far_apart_all_have_a_place_of_their_own_and_equal_ones_share_it() -> None:
    chance = np.random.default_rng(1)
    noise = chance.normal(size=(4, BLOCKS))
    residuals = residuals_of(noise)
    apart = surely_ahead(differences_of(np.array([900.0, 500.0, 0.0, -400.0]), residuals))
    assert rank_bounds(apart) == [(1, 1), (2, 2), (3, 3), (4, 4)]
    shared = surely_ahead(differences_of(np.array([900.0, 3.0, 2.0, -400.0]), residuals))
    assert rank_bounds(shared) == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert rank_bounds(surely_ahead(differences_of(np.zeros(4), residuals, 0))) == [(1, 4)] * 4
    assert rank_bounds(surely_ahead(differences_of(np.array([2.0, 1.0]), np.zeros((2, BLOCKS)), 31))) == [
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
        ahead = surely_ahead(differences_of(np.array(scores), residuals))
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
    ahead = surely_ahead(differences_of(scores, residuals))
    assert not (ahead & ahead.T).any()
    bounds = rank_bounds(ahead)
    assert bounds == sorted(bounds) and [high for _, high in bounds] == sorted(high for _, high in bounds)
    for rank, (low, high) in enumerate(bounds, 1):
        assert 1 <= low <= rank <= high <= count


@pytest.mark.statistical
def test_among_equals_one_in_twenty_tournaments_tells_any_apart() -> None:
    """Also where their luck is shared and their noise isn't alike; Holm's correction may only be too careful."""
    chance = np.random.default_rng(2)
    tournaments, count = 1500, 8
    mixing = chance.normal(size=(count, count)) + 2 * np.eye(count)
    told = 0
    for _ in range(tournaments):
        blocks = mixing @ chance.normal(size=(count, BLOCKS))
        told += bool(surely_ahead(differences_of(blocks.sum(axis=1), residuals_of(blocks))).any())
    assert 0.015 < told / tournaments < 0.05 + 3 * math.sqrt(0.05 * 0.95 / tournaments)


# Fields by strengths in standard errors of a difference, and which neighbours are close. In small ones the figure is
# too high for equals; how much too high is on the page.
SMALL: dict[str, Callable[[np.random.Generator], Floats]] = {
    "two equals": lambda chance: np.zeros(2),
    "three equals": lambda chance: np.zeros(3),
    "four equals": lambda chance: np.zeros(4),
    "two near": lambda chance: chance.normal(0, 0.3, 2),
}
FIELDS: dict[str, Callable[[np.random.Generator], Floats]] = {
    "equals": lambda chance: np.zeros(10),
    "near": lambda chance: chance.normal(0, 0.3, 6),
    "moderate": lambda chance: chance.normal(0, 1, 10),
    "wide": lambda chance: chance.normal(0, 20, 30),
    "evenly drawn": lambda chance: chance.uniform(-4, 4, 10),
    "heavy tails": lambda chance: chance.standard_t(2, 10),
    "one far off": lambda chance: np.append(chance.normal(0, 0.4, 7), 100),
    "three close pairs": lambda chance: np.repeat([0, 60, 150], 2) + np.tile([0, chance.choice([0.1, 0.3, 1])], 3),
    "ten close pairs": lambda chance: np.repeat(chance.normal(0, 60, 10), 2) + np.tile([0, 0.25], 10),
    "three close trios": lambda chance: np.repeat([0, 60, 150], 3) + chance.normal(0, 0.3, 9),
}


def stated_and_right(kind: str, fields: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Of neighbours by score that are close in truth: what is stated, and whether they are in the right order."""
    chance = np.random.default_rng(3)
    stated, right = [], []
    for _ in range(fields):
        strengths = (SMALL | FIELDS)[kind](chance) * math.sqrt(2 * BLOCKS)
        blocks = strengths[:, np.newaxis] / BLOCKS + chance.normal(size=(len(strengths), BLOCKS))
        order = np.argsort(-blocks.sum(axis=1))
        ahead = -np.diff(strengths[order])
        close = np.abs(ahead) < 5 * math.sqrt(2 * BLOCKS)
        found = order_probabilities(differences_of(blocks.sum(axis=1)[order], residuals_of(blocks)[order]))
        stated += np.array(found)[close].tolist()
        right += ((ahead > 0) if strengths.any() else chance.random(len(ahead)) < 0.5)[close].tolist()
    return np.array(stated), np.array(right)


def _assert_kept(kind: str, fields: int, within: float) -> None:
    stated, right = stated_and_right(kind, fields)
    error = math.sqrt(0.25 / fields)  # neighbours of one field hang together
    assert abs(stated.mean() - right.mean()) < within + 2 * error, kind
    for low, high in itertools.pairwise([0.7, 0.85, 0.97, 1.01]):
        chosen = (stated >= low) & (stated < high)
        if chosen.sum() > 100:
            # Too careful is better than too bold. In a field of nothing but pairs nobody else tells how near two are.
            most = 0.2 if "pairs" in kind else 2 * within
            assert right[chosen].mean() > stated[chosen].mean() - most - 3 * math.sqrt(0.25 / chosen.sum()), low


@pytest.mark.statistical
@pytest.mark.parametrize(("kind", "most"), [("two equals", 0.72), ("three equals", 0.67), ("four equals", 0.64)])
def test_of_few_equals_it_says_no_more_than_the_page_tells(kind: str, most: float) -> None:
    stated, _ = stated_and_right(kind, 1000)
    assert 0.5 < stated.mean() < most


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["equals", "moderate", "wide", "ten close pairs"])
def test_stated_probabilities_of_the_order_are_kept(kind: str) -> None:
    """Of neighbours in fields of strengths that are drawn a share is in the right order as large as is stated."""
    _assert_kept(kind, 150, 0.03)


@pytest.mark.thorough
@pytest.mark.statistical
@pytest.mark.parametrize("kind", FIELDS)
def test_stated_probabilities_are_kept_in_all_kinds_of_fields(kind: str) -> None:
    _assert_kept(kind, 1000, 0.06)


def _plain(above: float, calls: float, bet: int) -> Bot:
    return Bot(lambda view: bet if view.card > above else 0, lambda view, _bet: int(view.card > calls))


@pytest.mark.statistical
def test_exact_scores_are_those_of_play() -> None:
    x, y = _plain(0.7, 0.5, 20), _plain(0.2, 0.1, 40)
    sessions = 1500
    record = play_core(x, y, 11, sessions=sessions, capacities=(200_000, sessions))
    points = np.array([session.x_points for session in record.sessions])
    error = points.std() * math.sqrt(sessions)
    value = match_value(x, y, sessions, 10)
    assert abs(points.sum() - value) < 3.5 * error
    assert value > 5 * error, "a match that tells little"
