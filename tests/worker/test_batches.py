"""How legs with processes and legs without are cut into batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.runner import contest_run
from tournament.runner.batching import Pace
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.ledger import Batch
from tournament.store.legs import LegResult
from tournament.worker.batch import Receipt


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


@dataclass(frozen=True)
class Planned:
    """A leg as the schedule has it, of a replica."""

    has_processes: bool
    replica: int = 0
    match: int = 0
    number: int = 0
    digest: str = "to play"


class Plan:
    """A schedule of given legs."""

    legs_per_replica = 1

    def __init__(self, legs: Sequence[Planned]) -> None:
        self.legs = [replace(leg, match=number) for number, leg in enumerate(legs)]

    def fixtures(self) -> list[Planned]:
        return self.legs

    def place(self, match: int, number: int) -> tuple[int, int]:
        return self.legs[match].replica, match

    def leg(self, planned: Planned) -> Planned:
        return planned


def tasks_of(legs: Sequence[Planned], pace: Pace) -> list[list[Planned]]:
    """The legs of each task, of those that are still to be played."""
    plan = Plan(legs)
    config = SimpleNamespace(contest=Settings(), sandbox=SandboxSettings(), general=SimpleNamespace(address=None))
    writer = SimpleNamespace(storage=SimpleNamespace(location="nowhere"))
    left = [leg.has_processes for leg in plan.legs if leg.digest != "done"]
    tasks = contest_run._tasks(
        VON_NEUMANN_POKER,
        config,  # type: ignore[arg-type]
        writer,  # type: ignore[arg-type]
        plan,  # type: ignore[arg-type]
        {"done"},
        pace,
        left.count(False),
        left.count(True),
    )
    return [list(task.legs) for task in tasks]  # type: ignore[arg-type]


def cut(legs: list[bool], pace: Pace) -> list[list[bool]]:
    """The batches of legs that are, or aren't, in lanes."""
    return [[leg.has_processes for leg in task] for task in tasks_of([Planned(leg) for leg in legs], pace)]


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


def test_a_task_stays_within_a_replica_unless_all_of_it_is_in_lanes() -> None:
    pace = new_pace(1, 1)
    assert [len(task) for task in tasks_of([Planned(False, replica) for replica in (0, 0, 1)], pace)] == [2, 1]
    assert [len(task) for task in tasks_of([Planned(True, replica) for replica in (0, 0, 1)], pace)] == [3]
    mixed = [Planned(True), Planned(False), Planned(True, 1)]
    assert [len(task) for task in tasks_of(mixed, pace)] == [2, 1]


def test_a_task_ends_before_a_leg_that_is_done() -> None:
    legs = [Planned(False), Planned(False, digest="done"), Planned(False), Planned(False, digest="done")]
    assert [[leg.match for leg in task] for task in tasks_of(legs, new_pace(1, 1))] == [[0], [2]]


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
