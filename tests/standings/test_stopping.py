"""Intervals of several looks: right at every look at once, and worth their price."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.standings.stopping import Neighbours, apart, looks, neighbours, reaches, sure_interval, wanted_replicas
from tournament.standings.student import quantile

LOOKS = looks(4, 64)


def test_looks_grow_by_a_quarter_up_to_the_most() -> None:
    assert LOOKS == (4, 5, 6, 8, 10, 12, 15, 19, 24, 30, 38, 48, 60, 64)
    assert looks(10, 10) == looks(20, 10) == (10,)


def test_of_one_look_it_is_a_plain_interval_and_of_two_within_both_ends() -> None:
    """Two looks share the rate as their counts do; the second may have no more than what the first left, and no less
    than if the first had been of no use."""
    (only,) = reaches((20,), 0.05)
    assert only == pytest.approx(quantile(1 - 0.9 * 0.05 / 2, 19), rel=1e-6)
    first, second = reaches((10, 40), 0.05)
    assert first == pytest.approx(quantile(1 - 0.9 * 0.0125 / 2, 9), rel=1e-6)
    assert quantile(1 - 0.9 * 0.05 / 2, 39) < second < quantile(1 - 0.9 * 0.0375 / 2, 39)


@pytest.mark.statistical
@pytest.mark.parametrize(("counts", "error_rate"), [(LOOKS, 0.05), (looks(4, 16), 0.1)])
def test_equals_are_called_apart_at_any_look_as_often_as_is_said(counts: tuple[int, ...], error_rate: float) -> None:
    """In trials of normal values of unknown spread; plain intervals at every look would be wrong far more often."""
    trials = 8_000
    values = np.random.default_rng(4).normal(0, 3, (trials, counts[-1]))
    wrong, naive = np.zeros(trials, bool), np.zeros(trials, bool)
    for count, wide in zip(counts, reaches(counts, error_rate)):
        seen = values[:, :count]
        away = np.abs(seen.mean(axis=1)) / seen.std(axis=1, ddof=1) * math.sqrt(count)
        wrong |= away > wide
        naive |= away > quantile(1 - error_rate / 2, count - 1)
    error = math.sqrt(error_rate * (1 - error_rate) / trials)
    assert 0.8 * error_rate - 3 * error < wrong.mean() < error_rate + 3 * error
    assert naive.mean() > 2.5 * error_rate


def test_looking_costs_a_fifth_of_the_width_in_the_end() -> None:
    assert reaches(LOOKS, 0.05)[-1] < 1.25 * quantile(0.975, 63)


def test_few_replicas_say_nothing_and_many_say_all() -> None:
    assert reaches((1, 2), 0.05)[0] == math.inf
    assert sure_interval([5.0] * 3, LOOKS, 0.05) == (-math.inf, math.inf)
    low, high = sure_interval(np.random.default_rng(1).normal(5, 1, 100).tolist(), looks(4, 100), 0.001)
    assert 4 < low < 5 < high < 6


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
@settings(max_examples=30)
def test_intervals_only_get_narrower(values: list[float]) -> None:
    whole, part = sure_interval(values, LOOKS, 0.05), sure_interval(values[:-1], LOOKS, 0.05)
    assert part[0] <= whole[0] and whole[1] <= part[1]


@pytest.mark.statistical
def test_pairs_that_are_settled_leave_their_share_to_the_others() -> None:
    """Three equals among bots far apart: a wrong statement in as many tournaments as is said at most, and more is found
    than by intervals that share the rate among all pairs to the end."""
    chance = np.random.default_rng(6)
    counts, error_rate, trials = looks(4, 24), 0.2, 150
    means = np.array([60.0, 40.0, 20.0, 0.0, 0.0, 0.0, -20.0])
    wrong = 0
    for _ in range(trials):
        scores = means[:, np.newaxis] + chance.normal(0, 3, (7, 24))
        sure = apart(scores.tolist(), counts, error_rate)
        assert sure[0, 1] and sure[5, 6] and not sure[1, 0] and not (sure & sure.T).any()
        wrong += bool(sure[3:6, 3:6].any())
    assert wrong / trials < error_rate + 3 * math.sqrt(error_rate * (1 - error_rate) / trials)
    assert wrong / trials > 0.02


def test_neighbours_are_settled_tied_or_open_and_who_is_open_plays_more() -> None:
    chance = np.random.default_rng(2)
    noise = {name: chance.normal(0, 1, 48) for name in "abcd"}
    means = {"a": 9.0, "b": 5.0, "c": 4.9, "d": 4.6}
    replicas = {name: (noise[name] + means[name]).tolist() for name in "abcd"}
    found = neighbours("abcd", replicas, LOOKS, 0.05)
    assert [pair.verdict for pair in found] == ["settled", "open", "open"]
    assert [pair.verdict for pair in neighbours("abcd", replicas, LOOKS, 0.05, tie=3.0)] == ["settled", "tied", "tied"]
    counts = {"a": 48, "b": 48, "c": 48, "d": 64}
    assert wanted_replicas(found, counts, LOOKS) == {"b": 60, "c": 60}
    assert wanted_replicas(found, counts, looks(4, 48)) == {}
    assert wanted_replicas([Neighbours("a", "b", "tied")], counts, LOOKS) == {}


def test_neighbours_that_are_surely_the_other_way_round_are_open() -> None:
    """By values of the same means, as scores without luck, while the scores themselves say otherwise."""
    chance = np.random.default_rng(3)
    replicas = {name: (chance.normal(mean, 1, 48)).tolist() for name, mean in (("a", 5.0), ("b", 9.0), ("c", 0.0))}
    for tie in (None, 0.5):
        found = neighbours("abc", replicas, LOOKS, 0.05, tie)
        assert [pair.verdict for pair in found] == ["open", "settled"]
        assert [pair.verdict for pair in neighbours("bac", replicas, LOOKS, 0.05, tie)] == ["settled", "settled"]


def test_who_throws_a_leg_away_now_and_then_can_be_called_ahead() -> None:
    """What docs/ranking.md says of sums that are far from normal: the first rounds hold no such leg, as a rule."""
    chance = np.random.default_rng(3)
    wrong = 0
    for _ in range(100):
        steady = chance.normal(size=64)
        deceives = chance.normal(2.0, 0.2, 64) - 250.0 * (
            chance.random(64) < 0.02
        )  # 3 behind in truth, without 2 ahead
        for count in LOOKS:
            scores = {"steady": steady[:count].tolist(), "deceives": deceives[:count].tolist()}
            order = sorted(scores, key=lambda name: -sum(scores[name]))
            if neighbours(order, scores, LOOKS, 0.05)[0].verdict == "settled":
                wrong += order[0] == "deceives"
                break
    assert 70 < wrong < 100
