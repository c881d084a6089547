"""How legs with processes and legs without are cut into batches."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.runner.batching import Pace
from tournament.store.ledger import Batch
from tournament.store.legs import LegResult
from tournament.worker.batch import Receipt


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


def cut(legs: list[bool], pace: Pace) -> list[list[bool]]:
    """The batches of legs that are, or aren't, in lanes."""
    batches: list[list[bool]] = []
    batch: list[bool] = []
    counts = [0, 0]
    left = [legs.count(False), legs.count(True)]
    for leg in chain(legs, [None]):
        if leg is not None:
            batch.append(leg)
            counts[leg] += 1
        if batch and (leg is None or pace.batch_is_full(*counts, *left)):
            batches.append(batch)
            left = [left[0] - counts[0], left[1] - counts[1]]
            batch, counts = [], [0, 0]
    return batches


def seconds(batch: list[bool], pace: Pace) -> float:
    return pace.seconds_of_one(batch.count(False), batch.count(True))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    legs=st.lists(st.booleans(), min_size=1, max_size=300),
    workers=st.integers(1, 9),
    sessions=st.sampled_from([1, 100, 10_000, 10**6]),
)
def test_every_leg_is_in_one_batch_and_none_has_too_many_lanes(legs: list[bool], workers: int, sessions: int) -> None:
    batches = cut(legs, new_pace(workers, sessions))
    assert list(chain.from_iterable(batches)) == legs
    in_lanes = legs.count(True)
    assert max(batch.count(True) for batch in batches) <= max(1, -(-in_lanes // workers))


def test_all_workers_get_lanes() -> None:
    for workers in (2, 3, 8):
        batches = cut([True] * 40, new_pace(workers, 100))
        assert len(batches) >= workers
        assert len(batches[0]) == -(-40 // workers)


def test_many_lanes_are_not_one_batch() -> None:
    assert max(map(len, cut([True] * 5000, new_pace(1, 10)))) == 1024
    # Long ones go out once there are enough to be played in step.
    slow = cut([True] * 500, new_pace(1, 100_000))
    assert max(map(len, slow[:-1])) == 64


@pytest.mark.parametrize("sessions", [100, 1000, 10_000])
def test_one_python_bot_among_thousands_in_c_makes_no_endless_batches(sessions: int) -> None:
    """Each entrant meets the one, then all those before him: few lanes among ever more other legs."""
    legs = [earlier == 0 for later in range(1, 200) for earlier in range(later)]
    pace = new_pace(1, sessions)
    batches = cut(legs, pace)
    longest = max(seconds(batch, pace) for batch in batches)
    assert longest < 45


def test_what_is_learned_of_one_kind_is_not_held_against_the_other() -> None:
    pace = new_pace(2, 100)
    result = LegResult("", 0, 0, "x", "y", 100, 1200, ())
    before = pace.leg_seconds(False)
    pace.note(Receipt((Batch("", (), (result,) * 10),), 6.0, 6.0, 12_000, 10))
    assert pace.leg_seconds(True) == pytest.approx(0.6)
    assert pace.leg_seconds(False) == pytest.approx(before)
    pace.note(Receipt((Batch("", (), (result,) * 10),), 0.1, 0.0, 0, 0))
    assert pace.leg_seconds(False) == pytest.approx(0.01)
    assert pace.leg_seconds(True) == pytest.approx(0.6)
    assert (pace.legs, pace.legs_in_lanes, pace.games) == (20, 10, 24_000)
    assert pace.seconds_for(10, 10) == pytest.approx((0.1 + 6.0) / 2)
