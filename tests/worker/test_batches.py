"""How legs with processes and legs without are cut into batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.built_in import VON_NEUMANN_POKER
from tests.worker.support import ON
from tournament.artifacts import python_artifact
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, PlaysAs
from tournament.runner.pace import Pace
from tournament.runner.plan import starts_per_leg
from tournament.runner.schedule.counting import Reconciliation, reconcile
from tournament.runner.schedule.legs import Competitor, Digests, Fixture, MatchColumns, RoundRobin, Schedule
from tournament.runner.tasks import TaskQueue
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import Batch
from tournament.store.leg_sums import LegSums
from tournament.store.legs import LegResult, Legs
from tournament.worker.batch import Receipt

Task = tuple[tuple[Leg, ...], ...]

# One Python bot whose legs may share processes, and one whose legs may not.
ARTIFACTS = {
    share: python_artifact.pack(b"", ON, legs_may_share=share == "together") for share in ("together", "apart")
}


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


def digest_of(number: int) -> str:
    return f"{number:064x}"


KINDS: tuple[tuple[str, PlaysAs], ...] = (("inline", "wasm"), ("laned", "python"), ("other", "wasm"))


@dataclass(frozen=True)
class OneMatchForEachLeg(Schedule):
    """A schedule of legs, one of each match, that are, or aren't, in lanes."""

    in_lanes: tuple[bool, ...] = ()
    of_a_replica: int = 10**9  # matches

    legs_per_replica = sessions_per_leg = legs_of_deals = 1

    def columns(self) -> MatchColumns:
        numbers = np.arange(len(self.in_lanes))
        return MatchColumns(
            numbers, numbers // self.of_a_replica, np.array([(in_lanes, 2) for in_lanes in self.in_lanes], np.int32)
        )

    def fixtures(self) -> Iterator[Fixture]:
        for number, in_lanes in enumerate(self.in_lanes):
            yield Fixture(number, number // self.of_a_replica, digest_of(number), (FIELD[in_lanes], FIELD[2]))

    def digests(self) -> Digests:
        return NumbersAsDigests([])

    def total(self) -> int:
        return len(self.in_lanes)

    def leg(self, fixture: Fixture) -> Leg:
        """The fixture itself, which has all that a task asks of a leg."""
        return cast(Leg, fixture)

    def _first_of(self, fixture: Fixture) -> int:
        return 0

    def _chance_of_deals(self, fixture: Fixture) -> tuple[str, str]:
        return "leg", fixture.digest


class NumbersAsDigests(Digests):
    def of_columns(self, columns: MatchColumns, *_: object) -> bytes:
        return bytes.fromhex("".join(map(digest_of, columns.match.tolist())))


FIELD = tuple(Competitor(number, name, kind, "together") for number, (name, kind) in enumerate(KINDS))


def schedule_of(in_lanes: Iterable[bool], of_a_replica: int = 10**9) -> OneMatchForEachLeg:
    return OneMatchForEachLeg("rules", {}, bytes(KEY_BYTES), FIELD, in_lanes=tuple(in_lanes), of_a_replica=of_a_replica)


def result_of(leg: Fixture | Leg) -> LegResult:
    """As if it had been played."""
    match, number = (leg.match, leg.number) if isinstance(leg, Fixture) else (leg.plan.match, leg.plan.number)
    return LegResult(leg.digest, match, number, leg.names, 1, 1, (LegSums(0.0, 0.0),) * 2)


def missing(schedule: Schedule, done: Iterable[int] = ()) -> Reconciliation:
    fixtures = list(schedule.fixtures())
    return reconcile(
        [Batch("", (), Legs.of(tuple(result_of(fixtures[number]) for number in done)))] if done else [], schedule
    )


def to_play(schedule: Schedule, pace: Pace, done: Iterable[int] = (), *, in_order: bool = True) -> TaskQueue:
    return TaskQueue(schedule, missing(schedule, done), pace, frozenset, in_order=in_order)


def tasks_of(play: TaskQueue) -> Iterator[Task]:
    while task := play.next_task():
        yield task


def numbers(
    schedule: Schedule, pace: Pace, done: Iterable[int] = (), *, in_order: bool = True
) -> list[list[list[int]]]:
    """The tasks of a schedule's legs, each with its batches, by their numbers."""
    play = to_play(schedule, pace, done, in_order=in_order)
    return [[[cast(Fixture, leg).match for leg in batch] for batch in task] for task in tasks_of(play)]


def cut(legs: list[bool], pace: Pace) -> list[list[bool]]:
    """The tasks of legs that are, or aren't, in lanes."""
    return [[legs[number] for batch in task for number in batch] for task in numbers(schedule_of(legs), pace)]


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


@pytest.mark.parametrize("sessions", [100, 1000, 10_000])
def test_one_python_bot_among_thousands_in_c_makes_no_endless_batches(sessions: int) -> None:
    """Each entrant meets the one, then all those before him: few lanes among ever more other legs."""
    legs = [earlier == 0 for later in range(1, 200) for earlier in range(later)]
    pace = new_pace(1, sessions)
    batches = cut(legs, pace)
    longest = max(seconds(batch, pace) for batch in batches)
    assert longest < 45


def test_pace_before_a_first_run_counts_processes_of_legs_alone() -> None:
    bots = [
        Competitor(0, "c", "wasm", ""),
        *[Competitor(n, share, "python", share) for n, share in enumerate(ARTIFACTS, 1)],
    ]
    schedule = RoundRobin("a_contest", Settings(sessions=10).playing(), bytes(KEY_BYTES), bots)
    for legs_per_process, starts in ((64, 2 / 3), (1, 4 / 3)):  # of three legs, all of which have processes
        assert starts_per_leg(schedule, ARTIFACTS, legs_per_process) == pytest.approx(starts)
    shared, alone = (Pace(1, 10, 12.0, 1e7, starts) for starts in (0.0, 2.0))
    assert alone.leg_seconds(True) > 0.02 > shared.leg_seconds(True) > alone.leg_seconds(False)


def field_of(*processes: int, kind: PlaysAs = "program", artifact: str = "", **changes: Any) -> RoundRobin:
    """Nine bots, some of which are processes of this kind."""
    bots = [Competitor(number, f"{number}", kind if number in processes else "wasm", artifact) for number in range(9)]
    return RoundRobin("", Settings.model_validate({**changes}).playing(), bytes(KEY_BYTES), bots)


def of(program: int, task: Task) -> int:
    """How many of a task's legs this bot plays."""
    return sum(f"{program}" in leg.names for leg in chain.from_iterable(task))


@pytest.mark.parametrize("kind", ["program", "python", "wasm"])
def test_legs_of_a_duplicate_match_with_processes_are_in_one_task(kind: PlaysAs) -> None:
    """The later one starts after the earlier one's processes have ended, which only their worker knows."""
    schedule = field_of(*range(9), kind=kind, duplicate=True)
    tasks = list(tasks_of(to_play(schedule, new_pace(2, 10**6))))
    matches = [{leg.plan.match for leg in chain.from_iterable(task)} for task in tasks]
    assert len(tasks) > 4 and len(set.union(*matches)) == 36
    assert (sum(map(len, matches)) == 36) is (kind != "wasm")


def test_who_is_out_goes_out_no_more() -> None:
    out: set[str] = set()
    schedule = field_of(8)
    pace = new_pace(2, 10**6)
    play = TaskQueue(schedule, missing(schedule), pace, lambda: out)
    first = play.next_task()
    assert first
    out |= {"3", "8"}
    assert not any(of(3, task) + of(8, task) for task in tasks_of(play))


def test_a_batch_ends_where_a_leg_is_done() -> None:
    """So no part has legs on both sides of one in another part."""
    assert numbers(schedule_of([False] * 6), new_pace(1, 1), done=(0, 3)) == [[[1, 2], [4, 5]]]
    assert numbers(schedule_of([True] * 6), new_pace(1, 1), done=(2,)) == [[[0, 1], [3, 4, 5]]]
    assert numbers(schedule_of([True, False]), new_pace(1, 1), done=(0, 1)) == []


def test_a_batch_ends_with_its_replica() -> None:
    for in_lanes in (True, False):
        legs = schedule_of([in_lanes] * 6, of_a_replica=2)
        assert numbers(legs, new_pace(1, 1)) == [[[0, 1], [2, 3], [4, 5]]]


def test_short_legs_make_no_endless_batches() -> None:
    """Half a million legs of a session each take little time, and much memory."""
    assert set(map(len, cut([False] * 4096, new_pace(1, 1)))) == {1024}


@pytest.mark.parametrize("known", [False, True])
def test_slow_legs_play_on_all_workers_before_any_is_measured(known: bool) -> None:
    """276 legs of a second on 16 workers, which the contest's guess takes for a moment's play."""
    pace = new_pace(16, 100)
    if known:
        pace.kept((1200.0 * 600, 600.0, 0.0, 0.0))
    play = to_play(schedule_of([False] * 276), pace)
    free, result = [0.0] * 16, LegResult("0" * 64, 0, 0, ("x", "y"), 100, 1200, (LegSums(0.0, 0.0),) * 2)
    while task := play.next_task():
        count = sum(map(len, task))
        now = min(free)
        if now:  # one has come back
            pace.note(Receipt((Batch("", (), Legs.of([result] * count)),), float(count)))
        free[free.index(now)] = now + count
    assert max(free) <= 24


@pytest.mark.parametrize("in_lanes", [False, True])
def test_tasks_before_any_measure_leave_half_of_the_legs_to_those_after(in_lanes: bool) -> None:
    tasks = cut([in_lanes] * 276, new_pace(16, 100))
    assert max(map(len, tasks)) <= 276 // 32 and len(tasks) >= 32


def test_legs_with_processes_go_out_few_at_a_time_until_some_are_measured() -> None:
    """So that a first leaderboard is soon there."""
    pace = new_pace(2, 10)
    assert [len(task) for task in cut([True] * 160, pace)][:8] == [16] * 8
    pace.kept((0.0, 0.0, 60_000.0, 1.0))
    assert len(cut([True] * 160, pace)[0]) == 80


def test_what_takes_a_moment_is_one_task_by_the_pace_of_runs_before() -> None:
    """As the legs of an edited bot: each task is an entry of the ledger."""
    pace = new_pace(1, 1)
    pace.kept((24_000.0, 1.0, 0.0, 0.0))
    assert pace.seconds_of_one(59, 0) > 0.02
    assert len(cut([False] * 59, pace)) == 1


def test_pace_of_a_task_that_took_less_than_its_lanes_foretells_no_negative_time() -> None:
    pace = new_pace(1, 1)
    pace.note(Receipt((), 1.0, seconds_in_lanes=1.5))
    pace.games, pace.sessions = 10, 1
    pace._inline.games = 10
    assert pace.seconds_for(5, 0) >= 0


def test_a_pace_that_can_not_be_noted_or_read_ends_no_run(tmp_path: Path) -> None:
    storage, pace = FolderStorage(str(tmp_path)), new_pace(1, 1)
    storage.prepare()
    (tmp_path / "ledger" / "pace").mkdir()
    pace.note(Receipt((), 2.0))
    pace.save(storage)
    assert not pace.load_saved(storage)
