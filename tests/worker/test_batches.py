"""How legs with processes and legs without are cut into batches."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.sums import SeatSums
from engine.processes.lanes import Lanes
from tests.worker.support import ON
from tournament.artifacts import python_packing
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, PlaysAs
from tournament.runner.batching import Pace, batches_to_play
from tournament.runner.counting import count_known
from tournament.runner.schedule import Competitor, Fixture, Pairing, RoundRobin, Schedule
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.ledger import Batch
from tournament.store.legs import LegResult, Legs
from tournament.worker.batch import Receipt
from tournament.worker.processes.pool import Pool

# One Python bot whose legs may share processes, and one whose legs may not.
ARTIFACTS = {share: python_packing.pack(b"", ON, legs_may_share=share == "together") for share in ("together", "apart")}


def new_pace(workers: int, sessions: int) -> Pace:
    return Pace(workers, sessions, 12.0, VON_NEUMANN_POKER.estimates.rate)


def digest_of(number: int) -> str:
    return f"{number:064x}"


@dataclass(frozen=True)
class OneMatchForEachLeg:
    """A schedule of legs that are, or aren't, in lanes; a replica is so many of them."""

    in_lanes: list[bool]
    legs_per_replica: int = 10**9
    house: tuple[Competitor, ...] = ()
    shares_deals: bool = True

    @property
    def competitors(self) -> list[Competitor]:
        return [player for fixture in self.fixtures() for player in (fixture.x, fixture.y)]

    def pairings(self) -> Iterator[Pairing]:
        other = Competitor(1, "other", "wasm", "")
        for number, in_lanes in enumerate(self.in_lanes):
            yield (
                0,
                range(number, number + 1),
                Competitor(0, "bot", "python" if in_lanes else "wasm", "together"),
                other,
            )

    def fixtures(self) -> Iterator[Fixture]:
        return (Fixture(0, numbers[0], digest_of(numbers[0]), x, y) for _, numbers, x, y in self.pairings())

    def digests(self) -> OneMatchForEachLeg:
        return self

    def of(self, _x: Competitor, _y: Competitor, number: int) -> bytes:
        return bytes.fromhex(digest_of(number))

    def total(self) -> int:
        return len(self.in_lanes)

    def leg(self, fixture: Fixture) -> Fixture:
        return fixture


def numbers(schedule: OneMatchForEachLeg, pace: Pace, done: Iterable[int] = ()) -> list[list[list[int]]]:
    """The tasks of a schedule's legs, each with its batches, by their numbers."""
    left = count_known({digest_of(number): None for number in done}, cast(Schedule, schedule))
    tasks = batches_to_play(cast(Schedule, schedule), left, pace, ARTIFACTS, ON)
    return [[[cast(Fixture, leg).number for leg in batch] for batch in task] for task in tasks]


def cut(legs: list[bool], pace: Pace) -> list[list[bool]]:
    """The tasks of legs that are, or aren't, in lanes."""
    return [[legs[number] for batch in task for number in batch] for task in numbers(OneMatchForEachLeg(legs), pace)]


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


@pytest.mark.parametrize(
    ("workers", "seconds_to_serve", "legs"), [(2, 0.001, 20), (800, 0.001, 20), (10_000, 0.001, 150), (1600, 0.01, 240)]
)
def test_with_many_workers_batches_are_as_long_as_whoever_serves_them_needs(
    workers: int, seconds_to_serve: float, legs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each task takes it a thousandth of a second, 10,000 workers can't have a new one every two seconds."""
    monkeypatch.setattr("tournament.runner.batching.time.perf_counter", lambda: 1000.0)
    pace = new_pace(workers, 100)
    pace.started = 0.0
    leg_of_a_tenth = LegResult("0" * 64, 0, 0, "x", "y", 100, 1200, (SeatSums(0.0, 0.0, (0.0,) * 32),) * 2)
    for _ in range(200):
        pace.note(Receipt((Batch("", (), Legs.of([leg_of_a_tenth])),), 0.1))
    pace.waited = 1000.0 - 200 * seconds_to_serve
    full = next(count for count in range(1000) if pace.batch_is_full(count, 0, 10**6, 0))
    assert full == pytest.approx(legs, abs=1)  # where the quotient falls between two


def test_what_is_learned_of_one_kind_is_not_held_against_the_other() -> None:
    pace = new_pace(2, 100)
    result = LegResult("0" * 64, 0, 0, "x", "y", 100, 1200, (SeatSums(0.0, 0.0, (0.0,) * 32),) * 2)
    before = pace.leg_seconds(False)
    pace.note(Receipt((Batch("", (), Legs.of([result] * 10)),), 6.0, 6.0, 12_000, 10))
    assert pace.leg_seconds(True) == pytest.approx(0.6)
    assert pace.leg_seconds(False) == pytest.approx(before)
    pace.note(Receipt((Batch("", (), Legs.of([result] * 10)),), 0.1, 0.0, 0, 0))
    assert pace.leg_seconds(False) == pytest.approx(0.01)
    assert pace.leg_seconds(True) == pytest.approx(0.6)
    assert (pace.legs, pace.legs_in_lanes, pace.games) == (20, 10, 24_000)
    assert pace.seconds_for(10, 10) == pytest.approx((0.1 + 6.0) / 2)


def field_of(*processes: int, kind: PlaysAs = "program", artifact: str = "", **changes: Any) -> RoundRobin:
    """Nine bots, some of which are processes of this kind."""
    bots = [Competitor(number, f"{number}", kind if number in processes else "wasm", artifact) for number in range(9)]
    return RoundRobin("", Settings.model_validate({**changes}).playing(), bytes(KEY_BYTES), bots)


def of(program: int, task: tuple[tuple[Leg, ...], ...]) -> int:
    """How many of a task's legs this bot plays."""
    return sum(f"{program}" in (leg.x.name, leg.y.name) for leg in chain.from_iterable(task))


@pytest.mark.parametrize("program", [0, 4, 8])
def test_legs_that_play_in_turn_go_out_first_and_to_one_worker_at_a_time(program: int) -> None:
    schedule = field_of(program)
    left = count_known({}, schedule)
    tasks = batches_to_play(schedule, left, new_pace(2, 10**6), ARTIFACTS, ON)
    first, *others = itertools.islice(tasks, 3)
    assert of(program, first) == 1  # so long that it is a task of its own
    assert [of(program, task) for task in others] == [0, 0]
    left.ends.update((leg.digest, None) for leg in chain.from_iterable(first))
    following = next(tasks)
    assert of(program, following) == 1
    played = [leg.digest for task in (first, *others, following, *tasks) for leg in chain.from_iterable(task)]
    assert len(played) == len(set(played)) == schedule.total()


def test_short_legs_that_play_in_turn_are_one_task() -> None:
    schedule = field_of(4)
    tasks = list(batches_to_play(schedule, count_known({}, schedule), new_pace(2, 10), ARTIFACTS, ON))
    assert [of(4, task) for task in tasks] == [8] + [0] * (len(tasks) - 1)


@pytest.mark.parametrize(
    ("kind", "artifact", "legs_per_process", "in_turn"),
    [
        ("program", "", 256, True),
        ("python", "apart", 256, True),
        ("python", "together", 1, True),
        ("python", "together", 256, False),
        ("wasm", "", 256, False),
    ],
)
def test_what_waits_for_its_turn_goes_out_in_a_line(
    kind: PlaysAs, artifact: str, legs_per_process: int, in_turn: bool, tmp_path: Path
) -> None:
    """So no worker has a leg whose turn another has."""
    schedule = field_of(4, kind=kind, artifact=artifact)
    sandbox = SandboxSettings(legs_per_process=legs_per_process)
    first, *_ = batches_to_play(schedule, count_known({}, schedule), new_pace(2, 10), ARTIFACTS, sandbox)
    assert (len(list(chain.from_iterable(first))) == of(4, first) == 8) is in_turn
    contest = VON_NEUMANN_POKER
    channels = Lanes(0, 1, []).channels
    with closing(Pool(contest, Settings(), sandbox, ARTIFACTS, tmp_path, channels)) as pool:
        assert any(pool.turns_of(leg) for leg in schedule.legs()) is in_turn


def test_programs_are_shared_out_among_workers() -> None:
    schedule = field_of(1, 7)
    first, second, *others = batches_to_play(schedule, count_known({}, schedule), new_pace(2, 10), ARTIFACTS, ON)
    assert (of(1, first), of(7, second)) == (8, 7)
    assert not any(of(1, task) + of(7, task) for task in others)


def test_legs_with_deals_of_their_own_have_no_turns() -> None:
    schedule = field_of(8, deals="independent")
    first, *_ = batches_to_play(schedule, count_known({}, schedule), new_pace(2, 10), ARTIFACTS, ON)
    assert of(8, first) == 4  # half of what is in lanes


def test_a_batch_ends_where_a_leg_is_done() -> None:
    """So no part has legs on both sides of one in another part."""
    assert numbers(OneMatchForEachLeg([False] * 6), new_pace(1, 1), done=(0, 3)) == [[[1, 2], [4, 5]]]
    assert numbers(OneMatchForEachLeg([True] * 6), new_pace(1, 1), done=(2,)) == [[[0, 1], [3, 4, 5]]]
    assert numbers(OneMatchForEachLeg([True, False]), new_pace(1, 1), done=(0, 1)) == []


def test_a_batch_ends_with_its_replica() -> None:
    for in_lanes in (True, False):
        legs = OneMatchForEachLeg([in_lanes] * 6, legs_per_replica=2)
        assert numbers(legs, new_pace(1, 1)) == [[[0, 1], [2, 3], [4, 5]]]


def test_legs_between_done_ones_go_out_together() -> None:
    """As after an edit, when each one or two of a bot's matches lie between those of others: a commit for many."""
    edited = OneMatchForEachLeg([False] * 1000)
    tasks = numbers(edited, new_pace(1, 1), done=range(0, 1000, 2))
    assert [number for task in tasks for (number,) in task] == list(range(1, 1000, 2))
    assert max(map(len, tasks)) == 64  # each has files open
    assert len(tasks) == 8


def test_short_legs_make_no_endless_batches() -> None:
    """Half a million legs of a session each take little time, and much memory."""
    assert set(map(len, cut([False] * 4096, new_pace(1, 1)))) == {1024}


def test_legs_to_play_are_counted_by_kind() -> None:
    mixed = cast(Schedule, OneMatchForEachLeg([True, False, True, False, False]))
    left = count_known({digest_of(0): None, digest_of(4): None}, mixed)
    assert (left.total, left.inline, left.in_lanes, len(left.missing)) == (5, 2, 1, 3)
