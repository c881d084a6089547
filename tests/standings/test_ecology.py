"""Populations by the crosstable, against what is known in closed form."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.standings.test_ratings import standings_of
from tests.standings.test_standings import batch_of, field_of, leg_of_both
from tournament.errors import BadInput
from tournament.standings.ecology import fixation, moran, replicator
from tournament.standings.ratings import ecology
from tournament.standings.standings import compute_standings


@pytest.mark.parametrize(("value", "cost"), [(1.0, 2.0), (1.0, 4.0), (0.3, 0.4)])
def test_hawks_and_doves_come_to_their_mix(value: float, cost: float) -> None:
    """Hawks are as frequent as a resource is worth of what a fight costs (J. Maynard Smith and G. Price, 1973)."""
    payoffs = np.array([[(value - cost) / 2, value], [0.0, value / 2]])
    assert replicator(payoffs) == pytest.approx([value / cost, 1 - value / cost], abs=1e-6)


def test_who_is_dominated_dies_out_and_neutral_shares_stay() -> None:
    assert replicator(np.array([[3.0, 0.0], [5.0, 1.0]])) == pytest.approx([0, 1], abs=1e-6)
    assert replicator(np.zeros((4, 4))) == pytest.approx([0.25] * 4)
    assert replicator(np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0.0]])) == pytest.approx([1 / 3] * 3)
    assert replicator(np.zeros((0, 0))).tolist() == []


@given(st.floats(-3, 3), st.integers(2, 40))
def test_a_constant_advantage_is_fixed_as_moran_says(advantage: float, size: int) -> None:
    """(1 − 1/r) / (1 − 1/rᴺ), where r is the ratio of fitnesses (P. Moran, 1958)."""
    payoffs = np.array([[advantage, advantage], [0.0, 0.0]])
    ratio = math.exp(advantage)
    expected = 1 / size if abs(advantage) < 1e-9 else (1 - 1 / ratio) / (1 - ratio**-size)
    assert fixation(payoffs, size)[0, 1] == pytest.approx(expected, rel=1e-6)


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4), st.integers(2, 12))
def test_fixation_of_any_two_by_two_game_is_that_of_its_chain(cells: list[float], size: int) -> None:
    payoffs = np.array(cells).reshape(2, 2)
    chain = np.eye(size + 1)
    for there in range(1, size):
        first = ((there - 1) * payoffs[0, 0] + (size - there) * payoffs[0, 1]) / (size - 1)
        second = (there * payoffs[1, 0] + (size - there - 1) * payoffs[1, 1]) / (size - 1)
        more = math.exp(first) / (math.exp(first) + math.exp(second))
        chain[there, [there - 1, there, there + 1]] -= [1 - more, 0.0, more]
    reached = np.linalg.solve(chain, np.eye(size + 1)[size])
    assert fixation(payoffs, size)[0, 1] == pytest.approx(reached[1], rel=1e-9)


def test_of_two_kinds_the_time_is_in_the_ratio_of_their_fixations() -> None:
    payoffs = np.array([[0.2, 0.7], [0.1, 0.4]])
    shares, taken = moran(payoffs), fixation(payoffs)
    assert shares[0] / shares[1] == pytest.approx(taken[0, 1] / taken[1, 0])
    assert moran(np.zeros((5, 5))) == pytest.approx([0.2] * 5)


def test_a_rating_takes_what_a_bot_scores_against_itself_from_a_copy_or_zero() -> None:
    zero_sum = standings_of({("ann", "bob"): 5.0, ("ann", "cat"): 9.0, ("bob", "cat"): 5.0}, ["ann", "bob", "cat"])
    for kind in ("replicator", "moran"):
        rated = ecology(zero_sum, kind)
        assert [line.name for line in rated] == ["ann", "bob", "cat"]
        assert sum(line.rating for line in rated) == pytest.approx(1)
    field = field_of(["ann", "bob"])
    legs = [leg_of_both(field, "ann", "bob", np.full(64, 3.0), np.full(64, 1.0))]
    with pytest.raises(
        BadInput, match="moran takes what each scores against itself: enter a copy of each bot under another name"
    ):
        ecology(compute_standings(field, [batch_of(*legs)]), "moran")
    field = field_of(["ann", "ann_too", "bob", "bob_too"])
    field = replace(
        field,
        entrants=tuple(
            replace(entrant, sha256=entrant.name[:3].encode().hex().ljust(64, "0")) for entrant in field.entrants
        ),
    )
    points = {("ann", "ann_too"): (2, 2), ("bob", "bob_too"): (1, 1)}
    points |= {(ann, bob): (0, 3) for ann in ("ann", "ann_too") for bob in ("bob", "bob_too")}
    legs = [
        leg_of_both(field, x, y, np.full(64, float(first)), np.full(64, float(second)))
        for (x, y), (first, second) in points.items()
    ]
    rated = ecology(compute_standings(field, [batch_of(leg) for leg in legs]), "replicator")
    assert [(line.name, round(line.rating, 3)) for line in rated] == [("bob", 1.0), ("ann", 0.0)]
