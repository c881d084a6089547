"""Confidence sequences: right at every look at once, and worth their price."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournament.standings.stopping import Neighbours, neighbours, reach, sure_interval, wanted_replicas


def bayes_factor(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], prior: float) -> float:
    """Of effects spread normally about 0 against none, by a plain sum over the effect and the standard deviation.

    The deviation's prior is 1/σ, as in M. Gönen et al., "The Bayesian Two-Sample t Test", 2005.
    """
    deviations = np.exp(np.linspace(-4, 4, 1201)) * values.std()
    effects = np.linspace(-8, 8, 1201) * math.sqrt(prior)
    count = len(values)
    squares, total = float(values @ values), float(values.sum())
    none = -count * np.log(deviations) - squares / 2 / deviations**2
    some = none[:, np.newaxis] + total * effects / deviations[:, np.newaxis] - count * effects**2 / 2
    weights = np.exp(-(effects**2) / 2 / prior)
    weights /= weights.sum()
    top = none.max()
    return float((np.exp(some - top) @ weights).sum() / np.exp(none - top).sum())


@pytest.mark.parametrize(("count", "error_rate"), [(12, 0.05), (30, 0.001)])
def test_at_its_reach_the_bayes_factor_is_the_inverse_of_the_error_rate(count: int, error_rate: float) -> None:
    chance = np.random.default_rng(count)
    values = chance.normal(size=count)
    error = values.std(ddof=1) / math.sqrt(count)
    shifted = values - values.mean() + reach(count, error_rate) * error
    assert bayes_factor(shifted, 0.25) == pytest.approx(1 / error_rate, rel=0.01)


@pytest.mark.statistical
def test_a_sequence_of_equals_is_hardly_ever_called_apart_at_any_look() -> None:
    """Looked at after each of 40 replicas, of the error rate at most; fixed intervals would be wrong in a third."""
    chance = np.random.default_rng(4)
    trials, wrong, naive = 250, 0, 0
    for _ in range(trials):
        values = chance.normal(0, 3, 40)
        low, high = sure_interval(values.tolist(), 0.1)
        wrong += low > 0 or high < 0
        counts = np.arange(2, 41)
        errors = [values[:count].std(ddof=1) / math.sqrt(count) for count in counts]
        naive += bool((np.abs([values[:count].mean() for count in counts]) > 1.645 * np.array(errors)).any())
    assert wrong / trials < 0.1 + 3 * math.sqrt(0.1 * 0.9 / trials)
    assert naive / trials > 0.25
    assert wrong > 0


def test_few_replicas_say_nothing_and_many_say_all() -> None:
    assert reach(1, 0.05) == math.inf
    assert sure_interval([5.0], 0.05) == (-math.inf, math.inf)
    low, high = sure_interval(np.random.default_rng(1).normal(5, 1, 100).tolist(), 0.001)
    assert 4 < low < 5 < high < 6


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.floats(-1e6, 1e6))
def test_intervals_only_get_narrower(values: list[float], shift: float) -> None:
    whole, part = sure_interval(values, 0.05), sure_interval(values[:-1], 0.05)
    assert part[0] <= whole[0] and whole[1] <= part[1]


def test_neighbours_are_settled_tied_or_open_and_who_is_open_plays_more() -> None:
    chance = np.random.default_rng(2)
    noise = {name: chance.normal(0, 1, 40) for name in "abcd"}
    means = {"a": 9.0, "b": 5.0, "c": 4.9, "d": 4.6}
    replicas = {name: (noise[name] + means[name]).tolist() for name in "abcd"}
    found = neighbours("abcd", replicas, 0.05)
    assert [pair.verdict for pair in found] == ["settled", "open", "open"]
    assert [pair.verdict for pair in neighbours("abcd", replicas, 0.05, tie=3.0)] == ["settled", "tied", "tied"]
    counts = {"a": 40, "b": 40, "c": 40, "d": 60}
    assert wanted_replicas(found, counts, 64) == {"b": 50, "c": 50}
    assert wanted_replicas(found, counts, 40) == {}
    assert wanted_replicas([Neighbours("a", "b", "tied")], counts, 64) == {}
