"""Tasks of legs with and without processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.built_in import VON_NEUMANN_POKER
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, PlaysAs
from tournament.runner.pace import Pace
from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import RoundRobin, Schedule
from tournament.runner.tasks import TaskQueue
from tournament.store.field import Batch
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.worker.batch import Receipt

SUMS = (LegSums(0.0, 0.0),) * 2
WASM: list[PlaysAs] = ["wasm"]
Task = tuple[Leg, ...]


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


def to_play(schedule: Schedule, pace: Pace, done: Iterable[int] = (), out: Iterable[str] = ()) -> TaskQueue:
    """Return the queue of a schedule in which these legs are played."""
    fixtures = [one for number, one in enumerate(schedule.fixtures()) if number in set(done)]
    played = [
        LegResult(one.digest, one.match, one.number, one.names, 1, 1, SUMS[:1] * len(one.names)) for one in fixtures
    ]
    left = reconcile([Batch("", (), Legs.from_results(played))] if done else [], schedule)
    return TaskQueue(schedule, left, pace, lambda: (frozenset(out), frozenset()))


def learn(pace: Pace, games: int, seconds: float, sandbox: str = "") -> None:
    """Have a pace learn from legs with this many games, which took so long."""
    leg = LegResult("0" * 64, 0, 0, ("x", "y"), 1, games, SUMS, seconds=seconds)
    pace.learn([Batch("", (), Legs.from_results([leg]), sandbox)])


def tasks_of(play: TaskQueue) -> Iterator[Task]:
    while task := play.next_task():
        yield task


def field_of(kinds: Iterable[PlaysAs], *, duplicate: bool = False) -> RoundRobin:
    bots = [Competitor(number, f"{number}", kind, "") for number, kind in enumerate(kinds)]
    return RoundRobin("", Settings(duplicate=duplicate).playing(), bytes(KEY_BYTES), bots)


def tasks(kinds: Iterable[PlaysAs], pace: Pace, *, duplicate: bool = False) -> list[Task]:
    return [*tasks_of(to_play(field_of(kinds, duplicate=duplicate), pace))]


@pytest.mark.parametrize("kind", ["program", "wasm"])
def test_legs_of_duplicate_match_are_in_one_task(kind: PlaysAs) -> None:
    """Otherwise their variance would be unknown, and processes of both could play at the same time."""
    matches = [{leg.plan.match for leg in task} for task in tasks([kind] * 9, new_pace(2, 10**6), duplicate=True)]
    assert len(matches) > 4 and len(set.union(*matches)) == sum(map(len, matches)) == 36


def test_legs_of_slow_bots_come_last() -> None:
    schedule = field_of(["wasm"] * 6, duplicate=True)
    left = reconcile([], schedule)
    legs = list(chain.from_iterable(tasks_of(TaskQueue(schedule, left, new_pace(1, 1), lambda: (set(), set()), {"2"}))))
    is_slow = ["2" in leg.names for leg in legs]
    assert is_slow == sorted(is_slow) and (len(legs), is_slow.count(True)) == (30, 10)
    matches = [leg.plan.match for leg in legs]
    assert matches[::2] == matches[1::2] and len(set(matches)) == 15  # Duplicates stay together.


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_tasks_have_missing_legs_in_schedule_order(data: st.DataObject) -> None:
    seats, replicas = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 5))
    kinds: list[PlaysAs] = ["wasm", "python"]
    bots = [
        Competitor(n, f"{n}", data.draw(st.sampled_from(kinds)), "") for n in range(data.draw(st.integers(seats, 6)))
    ]
    schedule = RoundRobin("", {"sessions": 1}, bytes(KEY_BYTES), bots, replicas=Replicas(replicas), seats=seats)
    fixtures = list(schedule.fixtures())
    done = data.draw(st.sets(st.integers(0, len(fixtures) - 1)))
    out = data.draw(st.sets(st.sampled_from([bot.name for bot in bots])))
    legs = list(chain.from_iterable(tasks_of(to_play(schedule, new_pace(1, 1), done, out))))
    wanted = [one.digest for n, one in enumerate(fixtures) if n not in done and out.isdisjoint(one.names)]
    assert [leg.digest for leg in legs] == wanted


def test_tasks_take_neither_long_nor_much_memory() -> None:
    """Few legs have processes, because each entrant meets the Python bot and then all others before it."""
    pace = new_pace(1, 10_000)
    counts = [(len(task), sum(leg.has_processes for leg in task)) for task in tasks(["python", *WASM * 199], pace)]
    assert sum(count for count, _ in counts) == 19_900
    assert max(pace.worker_seconds(count - in_lanes, in_lanes) for count, in_lanes in counts) < 45
    assert {len(task) for task in tasks(["wasm"] * 92, new_pace(1, 1))[:-1]} == {1024}


@pytest.mark.parametrize("known", [False, True])
def test_unmeasured_slow_legs_are_spread_over_all_workers(known: bool) -> None:
    """276 legs of a second on 16 workers, which the contest's guess takes for a moment's play."""
    pace = new_pace(16, 100)
    if known:
        learn(pace, 1200 * 600, 600.0)
    play = to_play(field_of(["wasm"] * 24), pace)
    free, result = [0.0] * 16, LegResult("0" * 64, 0, 0, ("x", "y"), 100, 1200, SUMS)
    while task := play.next_task():
        count = len(task)
        now = min(free)
        if now:  # one has come back
            pace.note(Receipt((Batch("", (), Legs.from_results([result] * count)),), float(count)))
        free[free.index(now)] = now + count
    assert max(free) <= 24
