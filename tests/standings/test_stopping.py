"""Intervals of several looks: right at every look at once, and worth their price."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.standings.settled_order import SettledOrder, Verdict, next_count, run_analysis_counts, settled_order
from tournament.standings.standard_errors import Differences
from tournament.standings.stopping import analysis_counts, critical_value, within
from tournament.standings.student_t import quantile
from tournament.store.field import Until

LOOKS = analysis_counts(4, 64)


def test_critical_values_share_error_rate_among_looks() -> None:
    """Two looks share the rate as their counts do. The second has what the first left, or a little less."""
    only = critical_value((20,), 0, 0.05, 19)
    assert only == pytest.approx(quantile(1 - 0.9 * 0.05 / 2, 19), rel=1e-6)
    first, second = (critical_value((10, 40), look, 0.05, freedom) for look, freedom in enumerate((9, 39)))
    assert first == pytest.approx(quantile(1 - 0.9 * 0.0125 / 2, 9), rel=1e-6)
    assert quantile(1 - 0.9 * 0.05 / 2, 39) < second < quantile(1 - 0.9 * 0.0375 / 2, 39)


def looks_at(replicas: Sequence[Sequence[float]], counts: Sequence[int]) -> list[Differences]:
    """Return the differences of rows at each look, of independent replicas that all rows have."""
    found = []
    for count in counts:
        if min(map(len, replicas)) >= count:
            values = np.array([row[:count] for row in replicas], float)
            apart = values[:, np.newaxis] - values
            spread = ((apart - apart.mean(axis=2, keepdims=True)) ** 2).sum(axis=2)
            freedom = np.full(spread.shape, count - 1.0)
            found.append(Differences(apart.mean(axis=2), spread / max(1, count * (count - 1)), freedom))
    return found


def settled(replicas: Sequence[Sequence[float]], until: Until) -> SettledOrder:
    return settled_order(looks_at(replicas, run_analysis_counts(until)), until, len(replicas))


def told(values: list[float], counts: tuple[int, ...], error_rate: float, tie: float) -> tuple[bool, bool, bool]:
    """Return whether a bot with these differences is significantly ahead, behind, or tied."""
    seen = looks_at([values, [0.0] * len(values)], counts)
    if not seen:
        return False, False, False
    ahead, tied = within(seen, counts, error_rate, tie)
    assert tied[0, 1] == tied[1, 0] and not np.diagonal(ahead | tied).any()
    return bool(ahead[0, 1]), bool(ahead[1, 0]), bool(tied[0, 1])


def test_few_replicas_tell_nothing_and_many_tell_order() -> None:
    assert critical_value((1, 2), 0, 0.05, 0) == math.inf
    assert told([5.0] * 3, LOOKS, 0.05, 1e9) == (False, False, False)
    assert told([5.0] * 64, LOOKS, 0.05, 5.0) == (True, False, False)  # no less apart than a tie
    values = np.random.default_rng(1).normal(5, 1, 100).tolist()
    assert told(values, analysis_counts(4, 100), 0.001, 6) == (True, False, True)
    assert told(values, analysis_counts(4, 100), 0.001, 4) == (True, False, False)
    assert told([-value for value in values], analysis_counts(4, 100), 0.001, 6) == (False, True, True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.floats(0.1, 1e6))
@settings(max_examples=30)
def test_verdict_of_pair_stays(values: list[float], tie: float) -> None:
    whole, part = told(values, LOOKS, 0.05, tie), told(values[:-1], LOOKS, 0.05, tie)
    assert all(after >= before for before, after in zip(part, whole))


def verdicts(
    names: Sequence[str], replicas: dict[str, list[float]], most: int, tie: float | None = None
) -> list[Verdict]:
    return settled([replicas[name] for name in names], Until(0.95, 1, most, tie)).verdicts


def test_neighbours_are_settled_tied_or_open() -> None:
    chance = np.random.default_rng(2)
    noise = {name: chance.normal(0, 1, 48) for name in "abcd"}
    means = {"a": 9.0, "b": 5.0, "c": 4.9, "d": 4.6}
    replicas = {name: (noise[name] + means[name]).tolist() for name in "abcd"}
    found = verdicts("abcd", replicas, 64)
    assert found == ["settled", "too_close", "open"]
    assert verdicts("abcd", replicas, 64, tie=3.0) == ["settled", "tied", "tied"]
    assert next_count(["settled", "open", "open"], 48, LOOKS) == 60
    assert next_count(["settled", "open", "open"], 48, analysis_counts(4, 48)) == 48
    assert next_count(["tied", "too_close"], 48, LOOKS) == 48


def test_neighbours_in_reverse_order_are_open() -> None:
    """Values without luck can have another order than the scores."""
    chance = np.random.default_rng(3)
    replicas = {name: (chance.normal(mean, 1, 48)).tolist() for name, mean in (("a", 5.0), ("b", 9.0), ("c", 0.0))}
    for tie in (None, 0.5):
        assert verdicts("abc", replicas, 64, tie) == ["open", "settled"]
        assert verdicts("bac", replicas, 64, tie) == ["settled", "settled"]


@given(st.integers(0, 2**32), st.integers(2, 7), st.sampled_from([None, 0.5, 5.0]))
@settings(max_examples=30, deadline=None)
def test_verdicts_agree_with_places(seed: int, size: int, tie: float | None) -> None:
    """Other values can tell bots apart than those that rank them."""
    chance = np.random.default_rng(seed)
    deals, count = chance.normal(0, 1, 24), int(chance.integers(0, 25))
    means = np.sort(chance.standard_t(1, size))[::-1] + chance.normal(0, 0.3, size)
    replicas = [(mean + deals[:count] + chance.normal(0, 1, count)).tolist() for mean in means]
    order = settled(replicas, Until(0.9, 1, 24, tie))
    assert len(order.verdicts) == size - 1
    for (low, high), (next_low, next_high), verdict in zip(order.bounds, order.bounds[1:], order.verdicts):
        assert low <= next_low and high <= next_high
        assert (verdict == "settled") == (high < next_low)
    for place, (behind, nearest) in enumerate(zip(order.ahead, order.nearest_behind)):
        assert not behind[place]
        implied = {other for one in nearest for other in [one, *np.flatnonzero(order.ahead[one])]}
        assert implied == set(np.flatnonzero(behind))
