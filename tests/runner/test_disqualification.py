"""A bot that is disqualified in a leg plays none after it: on any number of workers, and after any crash."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
from hypothesis import given, settings

from tests.contest_runs import (
    CONTEST,
    THRESHOLDS,
    ContestDir,
    bot_source,
    make_contest,
)
from tests.worker.support import build, origin_of, write_bot
from tournament.api import verify
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.leg import PlaysAs
from tournament.records.results import load
from tournament.runner.schedule.counting import Reconciliation, find_fixtures
from tournament.runner.schedule.fixtures import Competitor, Fixture, Replicas
from tournament.runner.schedule.legs import RoundRobin
from tournament.store.leg_result import Fault, LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.storage import open_storage
from tournament.worker.batch import Task, play_task

B = "def b(bot, bet): return 1\n"
TRAPS = "int a(const Bot *bot) { __builtin_trap(); } int b(const Bot *bot, int bet) { __builtin_trap(); }\n"
FIELD = ["bold", "calm", "even", "glad"]


def schedule_of(players: int, replicas: int, seats: int) -> RoundRobin:
    kinds: list[PlaysAs] = ["wasm", "python"]
    field = [Competitor(number, f"bot {number}", kinds[number % 2], f"{number}") for number in range(players)]
    return RoundRobin("game", {"sessions": 1}, bytes(32), field, replicas=Replicas(replicas), seats=seats)


def result_of(fixture: Fixture, ended: tuple[int, ...]) -> LegResult:
    """Return the result of a leg that was ended by faults of these seats."""
    faults = tuple(Fault(seat, 0, 0, "a", "what") for seat in ended)
    sums = (LegSums(0.0, 0.0),) * len(fixture.names)
    return LegResult(fixture.digest, fixture.match, fixture.number, fixture.names, 1, 1, sums, faults, ended)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from([2, 3]))
def test_counting_legs_is_independent_of_order_of_play(data: st.DataObject, seats: int) -> None:
    """Legs of two bots count up to a disqualification, those of tables in the version without the bots that are out."""
    schedule = schedule_of(data.draw(st.integers(seats, 5)), data.draw(st.integers(1, 2)), seats)
    order, digests = list(schedule.fixtures()), schedule.digests()
    faulty = {one.digest: data.draw(st.sampled_from([None, None, *range(seats)])) for one in order}
    expected: list[tuple[str, tuple[int, ...]]] = []
    gone: set[str] = set()
    for one in order:
        out = tuple(seat for seat, name in enumerate(one.names) if name in gone)
        if seats > 2 or not out:
            expected.append((digests.of(one.players, one.number, out).hex(), out))
            gone |= {one.names[seat] for seat in range(seats) if seat == faulty[one.digest]}
    of_all = {(one.match, one.number): one.digest for one in order}

    def played(fixture: Fixture) -> LegResult:
        end = faulty[of_all[fixture.match, fixture.number]]
        return result_of(fixture, () if end is None or end in fixture.out else (end,))

    counted, all_played = Reconciliation(schedule), list[LegResult]()
    while len(counted.missing):
        left = [fixture for fixture, _ in counted.wanted()]
        assert len(left) == counted.inline + counted.in_lanes == counted.total - counted.done
        assert sum(one.has_processes for one in left) == counted.in_lanes
        some = [played(one) for one in data.draw(st.lists(st.sampled_from(left), min_size=1, unique=True))]
        all_played += some
        counted.note(Legs.from_results(some))
    assert counted.total == counted.done == len(expected) and counted.out == gone
    counts = counted.counts(Legs.from_results(all_played))
    kept = Legs.from_results([leg for leg, own in zip(all_played, counts) if own])
    assert sorted(leg.digest for leg in kept) == sorted(digest for digest, _ in expected)
    fixtures = list(find_fixtures(kept, schedule, kept))
    assert {(one.digest, one.out) for one in fixtures if isinstance(one, Fixture)} == set(expected)


def legs_of(place: ContestDir, name: str) -> int:
    matches = load(str(place.results)).matches
    return int(matches[matches.bot == name].legs.sum())


def test_bot_disqualified_in_task_plays_no_more_of_it(tmp_path: Path) -> None:
    """Legs of others go on, with processes and without."""
    sources = {f"{name}.c": bot_source(*THRESHOLDS[name]) for name in FIELD}
    raises = "def a(bot): raise ValueError\ndef b(bot, bet): return 1\n"
    bots = build({**sources, "carl.c": TRAPS, "cato.py": raises, "dull.py": "def a(bot): return 1\n" + B})
    rules = Settings(sessions=20)
    field = [Competitor(number, bot.name, bot.plays_as, bot.artifact_sha256 or "") for number, bot in enumerate(bots)]
    legs = tuple(RoundRobin(CONTEST, rules.playing(), bytes(32), field).legs())
    open_storage(str(tmp_path)).prepare()
    artifacts = {bot.artifact_sha256 or "": bot.artifact or b"" for bot in bots}
    bad = {"carl", "cato"}
    task = Task(CONTEST, rules.playing(), {}, str(tmp_path), legs, origin_of(field))
    receipt = play_task(task, artifacts)
    expected, met = [], set[str]()
    for leg in legs:
        if met.isdisjoint(leg.names):
            expected.append(leg.digest)
            met |= bad & {*leg.names}
    assert {leg.digest for batch in receipt.batches for leg in batch.legs} == {*expected}


def test_disqualification_ignores_order_of_play_within_task(tmp_path: Path) -> None:
    """Though legs with processes are played before others of their task."""
    ends_on_sevens = "int a(const Bot *b) { return 0; } int b(const Bot *b, int x) { if (x == 7) abort(); return 1; }"
    place = make_contest(tmp_path, [], sessions=1, settings="max_faults = 0")
    for name in ("brittle", "broken"):
        place.write_bot(name, f"#include <stdlib.h>\n{ends_on_sevens}")
    for name in "pqr":
        write_bot(place.entrants / f"{name}.py", "def a(bot): return 7\n" + B.replace("1", "0"))
    place.play()
    assert [legs_of(place, name) for name in ("brittle", "broken", "p", "q", "r")] == [2, 2, 4, 2, 2]
    assert not verify(CONTEST, config=place.config, replay=3).problems
