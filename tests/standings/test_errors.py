"""What errors are told from, and what that takes."""

from __future__ import annotations

import numpy as np
import pytest

from engine.kernel.game_core import BLOCK_COUNT
from tournament.standings.errors import (
    Measured,
    Replicas,
    errors_of_matches,
    heavy_tailed,
    mean_and_error,
    moments_of,
    residuals_of_means,
    residuals_of_opponents,
    variances_of_differences,
)
from tournament.standings.student import quantile, two_sided_tail
from tournament.store.legs import Legs


def test_errors_and_moments_of_many_matches_are_those_of_their_blocks() -> None:
    count = 10_000  # more than are looked at at once
    whole = np.stack([np.arange(count), np.zeros(count), np.full(count, 40), np.full(count, 400)], axis=1).astype(int)
    sums = np.random.default_rng(1).normal(size=(count, 1, 2 + BLOCK_COUNT))
    players = np.tile(np.arange(2, dtype=np.int32), (count, 1))
    digest = np.frombuffer(bytes(32 * count), "S32")
    legs = Legs(digest, ("ann", "bob"), players, np.asfortranarray(whole), np.asfortranarray(sums), (), whole[:, 1])
    own = legs.of_seat(0)
    errors, _ = errors_of_matches(legs, own, Replicas.of(legs.match, legs.number, 1), legs.sessions)
    moments = moments_of(own, legs.sessions)
    blocks = sums[:, 0, 2:]
    shares = np.diff(-(-np.arange(BLOCK_COUNT + 1) * 40 // BLOCK_COUNT))
    apart = blocks - shares * blocks.sum(axis=1, keepdims=True) / 40
    assert errors == pytest.approx(np.sqrt((apart**2).sum(axis=1) * BLOCK_COUNT / (BLOCK_COUNT - 1)))
    apart = blocks - shares * (sums[:, 0, :1] / 40)
    assert moments == pytest.approx(np.stack([np.full(count, 32), (apart**2).sum(axis=1), (apart**3).sum(axis=1)]))


def measured(by_opponent: float, common: int) -> Measured:
    """Two scores of four replicas, 3 apart, with a variance of 2 of the difference over these."""
    residuals, over_opponents = np.array([[1.0, -1.0], [0.0, 0.0]]), np.array([[by_opponent], [0.0]])
    return Measured(np.array([3.0, 0.0]), residuals, 3, 4, over_opponents, common)


@pytest.mark.parametrize(("by_opponent", "variance"), [(1.0, 2.0), (2.0, 4.0)])
def test_of_few_replicas_two_ways_share_the_rate_and_the_second_is_the_wider(
    by_opponent: float, variance: float
) -> None:
    """Four common opponents have three degrees of freedom; with three there is one way."""
    both = measured(by_opponent, 4).differences
    assert [(variances[0, 1], freedom) for variances, freedom in both.ways] == [(2.0, 3), (variance, 3)]
    assert both.chances[0, 1] == pytest.approx(2 * float(two_sided_tail(np.array([3 / np.sqrt(2)]), 3)[0]))
    assert both.reach(0, 1) == pytest.approx(quantile(1 - 0.05 / 4, 3) * np.sqrt(2))
    one = measured(by_opponent, 3).differences
    assert len(one.ways) == 1 and one.reach(0, 1) == pytest.approx(quantile(0.975, 3) * np.sqrt(2))


def test_a_mean_of_replicas_has_their_spread_for_its_error() -> None:
    values = np.random.default_rng(4).normal(size=(2, 5))
    assert mean_and_error(values[0]) == pytest.approx((values[0].mean(), values[0].std(ddof=1) / np.sqrt(5)))
    assert mean_and_error(values[0, :1]) == (values[0, 0], np.inf)
    variances = variances_of_differences(residuals_of_means(values))
    assert variances[0, 1] == variances[1, 0] == pytest.approx((values[0] - values[1]).var(ddof=1) / 5)


def test_two_who_met_have_two_opponents_fewer_to_be_told_by() -> None:
    brought = np.random.default_rng(2).normal(size=(2, 6))
    apart, met = (residuals_of_opponents(brought, common) for common in (6, 4))
    assert apart == pytest.approx((brought - brought.mean(axis=1, keepdims=True)) * np.sqrt(6 / 5))
    assert met == pytest.approx(apart * np.sqrt((6 - 1) / (6 - 2)))


def test_fewer_blocks_than_25_times_their_squared_skewness_are_too_few() -> None:
    assert heavy_tailed(np.array([[24.0, 25.0]] * 3)) == [True, False]
