"""`tournament verify`: damage is found, named and repaired as it says."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pandas
import pandas.testing
import pyarrow as pa
import pytest

from tests.commands import run_cli
from tests.contest_runs import CONTEST, ContestDir, Outcome, assert_same, bot_source, make_contest, read_outcome
from tests.forgery import Head, carried_in, forge_head, forge_legs, forge_part
from tournament.api import verify
from tournament.audit.report import Verification
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.runner.listener import Progress
from tournament.store.legs import Legs


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    """Records of one part, with a bot that is broken, and one whose faults end its legs in the middle."""
    place = make_contest(tmp_path_factory.mktemp("verify"), ["bold", "calm"], sessions=33, settings="duplicate = true")
    place.write_bot("dull", "int a(const Bot *bot) { return }\n")
    place.write_bot(
        "even", "int n, calm; int a(const Bot *b) { if (calm && ++n > 40) __builtin_trap(); return 0; }"
        "int b(const Bot *b, int x) { calm |= x == 50; return 1; }"
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, *legs: False)
        place.play()
    return place


@pytest.fixture(scope="module")
def expected(played: ContestDir) -> Outcome:
    return read_outcome(played.results)


@pytest.fixture
def place(played: ContestDir, tmp_path: Path) -> ContestDir:
    shutil.copytree(played.folder, tmp_path / "here")
    return ContestDir(tmp_path / "here")


def verified(place: ContestDir, replay: int = 0) -> Verification:
    return verify(CONTEST, config=place.config, replay=replay)


def problems(place: ContestDir, replay: int = 0) -> list[str]:
    return [str(problem) for problem in verified(place, replay).problems]


def test_whole_records_are_found_whole(played: ContestDir) -> None:
    found = verified(played, replay=100)
    assert (found.problems, found.notes) == ((), ())
    ranking = load(str(played.results)).ranking
    assert (pandas.read_parquet(played.results / "legs").seconds > 0).all()
    assert (found.legs, found.replayed, found.games) == (5, 5, sum(match.games for match in ranking.matches))
    assert {status.status for status in ranking.entrants} == {"ok", "broken", "disqualified"}


def part_of(place: ContestDir, table: str) -> Path:
    (path,) = (place.results / table).iterdir()
    return path


def flip(path: Path, at: int, bit: int = 0) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1 << bit
    path.write_bytes(content)


def unpublish(place: ContestDir) -> None:
    """Leave a part in staging, like a kill between commit and rename."""
    staged = carried_in(part_of(place, "sessions"))[0]["games"][3]
    part_of(place, "games").rename(place.results / staged)


PLAYS = "tournament run plays its 5 legs again"
ITS = "tournament run plays its legs again"
AGAIN = "tournament run writes it again"
# What is done to the records, and what is said of it: of which file, what, and what comes of it.
DAMAGES: dict[str, tuple[Callable[[ContestDir], object], str]] = {
    "a bit of a part": (
        lambda p: flip(part_of(p, "games"), 1000),
        f"games/@ has other bytes than were written; remove it, and {PLAYS}",
    ),
    "a part of sessions that is gone": (lambda p: part_of(p, "sessions").unlink(), f"sessions/@ is missing; {ITS}"),
    "a bit of what a part of sessions carries": (
        lambda p: flip(part_of(p, "sessions"), -500),
        f"sessions/@ is damaged: it has other legs than were written; {ITS}",
    ),
    "a bit of the field": (
        lambda p: flip(p.results / "contest.json", 500),
        f"contest.json has other bytes than were written; {AGAIN}",
    ),
    "a bit of a part of legs": (
        lambda p: flip(part_of(p, "legs"), 1000),
        "legs/% has other bytes than were written; remove it: tournament run writes it again",
    ),
    "a part not yet in place": (unpublish, "games/@ is committed but still in staging; tournament run publishes it"),
    "a summary": (lambda p: flip(p.results / "matches.parquet", -1), f"matches.parquet is damaged; {AGAIN}"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_and_mended_as_it_says(place: ContestDir, expected: Outcome, name: str) -> None:
    damage, text = DAMAGES[name]
    part, summary = part_of(place, "games").name, part_of(place, "legs").name
    damage(place)
    (found,) = problems(place)
    assert found == text.replace("@", part).replace("%", summary)
    if "; remove it" in text:
        (place.results / found.split()[0]).unlink()
    place.play()
    assert problems(place) == []
    assert_same(read_outcome(place.results), expected)


def test_reading_damaged_part_returns_no_other_value(place: ContestDir) -> None:
    """Pages have checksums, and footers have to fit the contest's columns and types."""
    path, whole = part_of(place, "games"), load(str(place.results)).games
    size, refused = path.stat().st_size, 0
    for at in range(4, size, size // 60):
        flip(path, at, at % 8)
        try:
            assert load(str(place.results)).games.equals(whole)
        except InputError as problem:
            refused += 1
            assert "is damaged" in str(problem)
        flip(path, at, at % 8)
    assert refused > 30


# What lies where readers look: a place, and what is put there.
STRAYS: dict[str, tuple[str, Callable[[Path, ContestDir], object]]] = {
    "a folder of parts": ("games/more/", lambda at, p: shutil.copytree(p.results / "games", at)),
    "a pipe": ("games/pipe.parquet", lambda at, p: os.mkfifo(at)),
    "another's part, of a name as ours": (
        f"games/{'0' * 10}-0-{'a' * 12}.parquet",
        lambda at, p: shutil.copy(part_of(p, "games"), at),
    ),
    "a name that paints": ("games/a\n\x1b[2J.parquet", lambda at, p: shutil.copy(part_of(p, "games"), at)),
}


@pytest.mark.parametrize("name", STRAYS)
def test_run_stops_at_stray_files_that_readers_read(place: ContestDir, name: str) -> None:
    stray, put_there = STRAYS[name]
    put_there(place.results / stray, place)
    before = tree(place.results)
    written = stray if stray.isprintable() else ascii(stray)[1:-1]
    assert problems(place) == [f"{written} isn't part of the records; move it away, because tournament run stops at it"]
    with pytest.raises(RunError) as problem:
        place.play()
    assert str(problem.value) == (
        f"{place.results}/{written} isn't part of the records, but readers of the records would read it;"
        " move it away and run again"
    )
    assert tree(place.results) == before


def tree(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


# What somebody may claim, with sizes and hashes to match: what is done, of which file is told, and what. What doesn't
# show in sums is found by playing again.
CLAIMS: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "a leg's points": (lambda p: forge_legs(p, with_points), "sessions", "adds up to other points than its legs"),
    "a leg's games": (lambda p: forge_legs(p, move_games), "games", "adds up to other games than its legs"),
    "rows of none": (lambda p: forge_cell(p, "match", 0, 77), "games", "has rows of other legs"),
    "a card": (lambda p: forge_cell(p, "b_card", 5, 0.5), "games", "with other games.b_card"),
    "a fault": (lambda p: forge_head(p, looked_at_the_sun), "games", "with other faults"),
}


def move_games(legs: Legs) -> Legs:
    legs.games[:2] += (1, -1)
    return legs


def with_points(legs: Legs) -> Legs:
    legs.sums[0, 0, 0] = 100.0
    return legs


def looked_at_the_sun(head: Head) -> None:
    next(rest for rest in head["rests"] if rest["faults"])["faults"][0]["message"] = "looked at the sun"


def forge_cell(results: Path, name: str, row: int, value: object) -> None:
    def change(table: pa.Table) -> pa.Table:
        values = table[name].to_numpy().copy()
        values[row] = value
        number = table.schema.get_field_index(name)
        return table.set_column(number, table.schema.field(number), pa.array(values, table.schema.field(number).type))

    forge_part(results, "games", change)


@pytest.mark.parametrize("claim", CLAIMS)
def test_forged_records_are_found_by_sums_or_replay(place: ContestDir, claim: str) -> None:
    forge, table, what = CLAIMS[claim]
    forge(place.results)
    by_replay = what.startswith("with")
    found = verified(place, replay=100 if by_replay else 0).problems
    assert [problem.path.partition("/")[0] for problem in found if what in problem.message] == [table], found
    named = {problem.path.partition("/")[0] for problem in verified(place).problems}
    assert not by_replay or named <= {"legs", "faults", "entrants.parquet"}  # summaries of before


def test_verify_during_run_finds_whole_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda *_: True)  # many commits
    place = make_contest(tmp_path, ["bold", "calm", "dull", "even"])
    found: list[Verification] = []

    class Verifies:
        def on_message(self, text: str) -> None:
            pass

        def on_progress(self, progress: Progress) -> None:
            found.append(verified(place))

    place.play(listener=Verifies())
    place.write_bot("calm", bot_source(9, 8))
    place.play(listener=Verifies())
    assert len(found) >= 4
    assert [one.problems for one in found] == [()] * len(found)


def test_command_shows_problems_and_verdict(place: ContestDir) -> None:
    whole = run_cli("verify", CONTEST, "--config", str(place.config), "--replay", "2", columns=500)
    assert (whole.code, whole.err) == (0, "")
    assert whole.out.startswith(f"{place.results}: checked 1 batch, 2 parts of ")
    # Of two legs, those that share their deals come along.
    assert re.search(r" games, [234] legs by replaying: everything as recorded\n$", whole.out)
    assert len(whole.out.splitlines()) == 1
    flip(part_of(place, "games"), 1000)
    damaged = run_cli("verify", "--results", str(place.results.parent), columns=500)
    assert damaged.code == 1
    listed, verdict = damaged.out.splitlines()
    assert listed.startswith(f"{place.results}/games/") and listed.endswith(f"remove it, and {PLAYS}")
    assert verdict.endswith(": 1 problem")
    (values,) = json.loads(run_cli("verify", "--results", str(place.results), "--json", columns=500).out)
    assert [problem["message"] for problem in values["problems"]] == ["has other bytes than were written"]
