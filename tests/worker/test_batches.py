"""Tasks of legs with and without processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.built_in import VON_NEUMANN_POKER
from tests.worker.support import ON
from tournament.artifacts import python_artifact
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import KEY_BYTES, SubKeys
from tournament.leg import Leg, PlaysAs
from tournament.runner.pace import Pace
from tournament.runner.plan import starts_per_leg
from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.digests import Digests
from tournament.runner.schedule.fixtures import Competitor, Fixture, MatchColumns, Replicas
from tournament.runner.schedule.legs import RoundRobin, Schedule
from tournament.runner.tasks import TaskQueue
from tournament.store.field import Batch
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.worker.batch import Receipt

Task = tuple[Leg, ...]
SUMS = (LegSums(0.0, 0.0),) * 2

# One Python bot whose legs may share processes, and one whose legs may not.
ARTIFACTS = {name: python_artifact.pack(b"", ON, legs_may_share=name == "together") for name in ("together", "apart")}


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


@dataclass(frozen=True)
class OneMatchForEachLeg(Schedule):
    """A schedule of legs, one of each match, that are, or aren't, in lanes."""

    in_lanes: tuple[bool, ...] = ()
    of_a_replica: int = 10**9  # matches

    legs_per_replica = sessions_per_leg = legs_sharing_deals = 1

    def columns(self) -> MatchColumns:
        numbers = np.arange(len(self.in_lanes))
        pairs = np.array([(in_lanes, 2) for in_lanes in self.in_lanes], np.int32)
        return MatchColumns(numbers, numbers // self.of_a_replica, pairs)

    def fixtures(self) -> Iterator[Fixture]:
        for number, in_lanes in enumerate(self.in_lanes):
            yield Fixture(number, number // self.of_a_replica, f"{number:064x}", (FIELD[in_lanes], FIELD[2]))

    def digests(self) -> Digests:
        return NumbersAsDigests([])

    def total(self) -> int:
        return len(self.in_lanes)

    def leg(self, fixture: Fixture) -> Leg:
        return cast(Leg, fixture)

    def _rotation(self, fixture: Fixture, keys: SubKeys) -> int:
        return 0

    def _deals_label(self, fixture: Fixture) -> tuple[str, str]:
        return "leg", fixture.digest


class NumbersAsDigests(Digests):
    def digest_columns(self, columns: MatchColumns, *_: object) -> bytes:
        return b"".join(number.to_bytes(32) for number in columns.match.tolist())


KINDS: tuple[PlaysAs, ...] = ("wasm", "python", "wasm")
FIELD = tuple(Competitor(number, f"{number}", kind, "together") for number, kind in enumerate(KINDS))


def schedule_of(in_lanes: Iterable[bool], of_a_replica: int = 10**9) -> OneMatchForEachLeg:
    return OneMatchForEachLeg("rules", {}, bytes(KEY_BYTES), FIELD, in_lanes=tuple(in_lanes), of_a_replica=of_a_replica)


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


def numbers(schedule: Schedule, pace: Pace, done: Iterable[int] = ()) -> list[list[int]]:
    """Return the numbers of a schedule's legs by task."""
    return [[cast(Fixture, leg).match for leg in task] for task in tasks_of(to_play(schedule, pace, done))]


def cut(legs: list[bool], pace: Pace) -> list[list[bool]]:
    return [[legs[number] for number in task] for task in numbers(schedule_of(legs), pace)]


@pytest.mark.parametrize("sessions", [100, 10_000])
def test_one_python_bot_among_many_makes_short_batches(sessions: int) -> None:
    """Few legs are in lanes, because each entrant meets the Python bot and then all others before it."""
    legs = [earlier == 0 for later in range(1, 200) for earlier in range(later)]
    pace = new_pace(1, sessions)
    longest = max(pace.worker_seconds(batch.count(False), batch.count(True)) for batch in cut(legs, pace))
    assert longest < 45


def test_pace_before_first_run_counts_processes_of_unshared_legs() -> None:
    bots = [Competitor(n, share, "python", share) for n, share in enumerate(ARTIFACTS)]
    bots += [Competitor(2, "c", "wasm", "")]
    schedule = RoundRobin("a_contest", Settings(sessions=10).playing(), bytes(KEY_BYTES), bots)
    for legs_per_process, starts in ((64, 2 / 3), (1, 4 / 3)):  # each of the three legs has processes
        assert starts_per_leg(schedule, ARTIFACTS, legs_per_process) == pytest.approx(starts)
    shared, alone = (Pace(1, 10, 12.0, 1e7, starts) for starts in (0.0, 2.0))
    assert alone.leg_seconds(True) > 0.02 > shared.leg_seconds(True) > alone.leg_seconds(False)


def field_of(*kinds: PlaysAs, duplicate: bool = False) -> RoundRobin:
    bots = [Competitor(number, f"{number}", kind, "") for number, kind in enumerate(kinds)]
    return RoundRobin("", Settings(duplicate=duplicate).playing(), bytes(KEY_BYTES), bots)


@pytest.mark.parametrize("kind", ["program", "python", "wasm"])
def test_legs_of_duplicate_match_are_in_one_task(kind: PlaysAs) -> None:
    """Otherwise their variance would be unknown, and processes of both could play at the same time."""
    schedule = field_of(*[kind] * 9, duplicate=True)
    tasks = list(tasks_of(to_play(schedule, new_pace(2, 10**6))))
    matches = [{leg.plan.match for leg in task} for task in tasks]
    assert len(tasks) > 4 and len(set.union(*matches)) == sum(map(len, matches)) == 36


def test_legs_of_slow_bots_come_last() -> None:
    kinds: list[PlaysAs] = ["wasm"] * 6
    schedule = field_of(*kinds, duplicate=True)
    left = reconcile([], schedule)
    legs = list(chain.from_iterable(tasks_of(TaskQueue(schedule, left, new_pace(1, 1), lambda: (set(), set()), {"2"}))))
    is_slow = ["2" in cast(Fixture, leg).names for leg in legs]
    assert is_slow == sorted(is_slow) and (len(legs), is_slow.count(True)) == (30, 10)
    matches = [leg.plan.match for leg in legs]
    assert matches[::2] == matches[1::2] and len(set(matches)) == 15  # Duplicates stay together.


def test_task_skips_played_legs_and_spans_replicas() -> None:
    assert numbers(schedule_of([False] * 6, of_a_replica=2), new_pace(1, 1), done=(0, 3)) == [[1, 2, 4, 5]]
    assert numbers(schedule_of([True] * 6, of_a_replica=2), new_pace(1, 1), done=(2,)) == [[0, 1, 3, 4, 5]]
    assert numbers(schedule_of([True, False]), new_pace(1, 1), done=(0, 1)) == []


@settings(max_examples=50, deadline=None, derandomize=True)
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


def test_short_legs_make_no_endless_batches() -> None:
    """Half a million legs of a session each take little time, and much memory."""
    assert set(map(len, cut([False] * 4096, new_pace(1, 1)))) == {1024}


@pytest.mark.parametrize("known", [False, True])
def test_unmeasured_slow_legs_are_spread_over_all_workers(known: bool) -> None:
    """276 legs of a second on 16 workers, which the contest's guess takes for a moment's play."""
    pace = new_pace(16, 100)
    if known:
        learn(pace, 1200 * 600, 600.0)
    play = to_play(schedule_of([False] * 276), pace)
    free, result = [0.0] * 16, LegResult("0" * 64, 0, 0, ("x", "y"), 100, 1200, SUMS)
    while task := play.next_task():
        count = len(task)
        now = min(free)
        if now:  # one has come back
            pace.note(Receipt((Batch("", (), Legs.from_results([result] * count)),), float(count)))
        free[free.index(now)] = now + count
    assert max(free) <= 24


def test_unmeasured_legs_with_processes_make_small_tasks() -> None:
    pace = new_pace(2, 10)
    assert [len(task) for task in cut([True] * 160, pace)][:8] == [16] * 8
    learn(pace, 60_000, 1.0, "Landlock")
    assert len(cut([True] * 160, pace)[0]) == 80


def test_short_work_at_known_pace_is_one_task() -> None:
    """Legs of an edited bot are such work, and each task has a part of its own."""
    pace = new_pace(1, 1)
    learn(pace, 24_000, 1.0)
    assert pace.worker_seconds(59, 0) > 0.02
    assert len(cut([False] * 59, pace)) == 1


def test_pace_starts_with_that_of_recorded_legs() -> None:
    pace = new_pace(1, 10)
    leg = LegResult("0" * 64, 0, 0, ("x", "y"), 10, 120, SUMS, seconds=0.5)
    assert not pace.learn([])
    assert pace.learn(
        [Batch("", (), Legs.from_results([leg] * 3)), Batch("", (), Legs.from_results([leg]), "Landlock")]
    )
    assert pace.worker_seconds(1, 0) == pace.worker_seconds(0, 1) == pytest.approx(0.5)
