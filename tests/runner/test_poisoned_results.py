"""Results folders from strangers: whatever stands in them, nothing outside is touched and an error is one line."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contest_runs import ContestDir, call, make_contest
from tests.ledger_rows import Rows, content_of, entry_of, forge_part, forge_rows
from tournament.errors import InputError, RunError
from tournament.records.results import load

ESCAPES = "\x1b[2J\x1b]0;owned\x07 [bold red]markup[/] [/nothing]"
PLAYS_AGAIN = "; run again to play its legs again"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    """Records of one part, with a bot that is broken and one that has faults."""
    place = make_contest(tmp_path_factory.mktemp("poison"), ["bold", "calm"], sessions=10)
    place.write_bot("dull", "int a(const Bot *bot) { return }\n")
    place.write_bot("even", "int a(const Bot *b) { __builtin_trap(); } int b(const Bot *b, const int x) { return 1; }")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, *legs: False)
        place.play()
    return place


@pytest.fixture
def place(played: ContestDir, tmp_path: Path) -> Iterator[ContestDir]:
    """A copy of the records beside a file that no one may touch."""
    shutil.copytree(played.folder, tmp_path / "here")
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    before = {path: path.read_bytes() for path in victim.parent.glob("*.txt")}
    yield ContestDir(tmp_path / "here")
    assert {path: path.read_bytes() for path in victim.parent.glob("*.txt")} == before


def entry_at(place: ContestDir, number: int) -> dict[str, Any]:
    entry: dict[str, Any] = entry_of((place.results / "ledger" / f"{number:08}.json").read_bytes())
    return entry


def put(place: ContestDir, number: int, content: bytes) -> None:
    (place.results / "ledger" / f"{number:08}.json").write_bytes(content)


def poison(place: ContestDir, number: int, change: Change) -> None:
    entry = entry_at(place, number)
    change(entry)
    put(place, number, content_of(entry))


def one_line(problem: BaseException) -> str:
    (line,) = str(problem).splitlines()
    return line


def part(entry: dict[str, Any], **changes: Any) -> None:
    entry["batches"][0]["parts"][0].update(changes)


def file(entry: dict[str, Any], **changes: Any) -> None:
    entry["files"][0]["parts"][0].update(changes)


OUTSIDE = "../../../../victim.txt"
POISONS: dict[str, tuple[int, Change]] = {
    "a part's name": (2, lambda e: part(e, name=OUTSIDE)),
    "a part of legs, elsewhere": (2, lambda e: file(e, name=OUTSIDE)),
    "a file of legs, elsewhere": (2, lambda e: e["files"][0].update(name=OUTSIDE)),
    "a file of legs that went, elsewhere": (2, lambda e: e.update(without_files=[OUTSIDE])),
    "a batch that went, and never was": (2, lambda e: e.update(without=[f"{0:010}-0-{'a' * 12}"])),
    "a batch in two files": (2, lambda e: e["files"].append({**e["files"][0], "name": "00000002-1"})),
    "a batch in no file": (2, lambda e: e.pop("files")),
    "a batch twice": (2, lambda e: e["batches"].append(e["batches"][0])),
    "a table": (2, lambda e: part(e, table="../../../..", name="victim.txt")),
    "a staged path": (2, lambda e: part(e, staged=OUTSIDE)),
    "another staged path": (2, lambda e: part(e, staged="ledger/00000001.json")),
    "a name with NUL": (2, lambda e: part(e, name="x\0")),
    "no parts": (2, lambda e: e["batches"][0].update(parts=[])),
    "a size that is text": (2, lambda e: part(e, size="7")),
    "rows of no legs": (2, lambda e: part(e, rows=7)),
    "rows of a part of legs": (2, lambda e: file(e, rows=10**15)),
    "a part of legs of a petabyte": (2, lambda e: file(e, size=(1 << 50) - 1)),
    "other legs than there are": (2, lambda e: e["batches"][0].update(legs=1)),
    "no legs": (2, lambda e: e["batches"][0].update(legs=0)),
    "escapes in an entrant": (1, lambda e: e["field"]["entrants"][0].update(name=ESCAPES)),
    "a number with gaps": (1, lambda e: e["field"]["numbers"].update(bold=7)),
    "an entrant's number": (1, lambda e: e["field"]["entrants"][0].update(number=2)),
    "an entrant twice": (1, lambda e: e["field"]["entrants"].append(e["field"]["entrants"][0])),
    "settings in a list": (1, lambda e: e["field"].update(settings=[])),
    "settings in settings": (1, lambda e: e["field"]["settings"].update(bet_cap=[[[]]])),
    "a seed that is a list": (1, lambda e: e["field"]["settings"].update(seed=[[]])),
    "a contest with escapes": (1, lambda e: e["field"].update(contest=ESCAPES)),
    "a kind that is none": (1, lambda e: e["field"]["entrants"][0].update(kind=None)),
}


@pytest.mark.parametrize("name", POISONS)
def test_a_poisoned_entry_is_one_line_and_harms_nothing(place: ContestDir, name: str) -> None:
    number, change = POISONS[name]
    poison(place, number, change)
    staging = place.results / "staging"
    for path in (place.results / "games").iterdir():  # as if not yet published, so that a run has something to move
        batch = entry_at(place, 2)["batches"][0]
        for known in batch["parts"] if isinstance(batch["parts"], list) else ():
            if known["table"] == "games" and known["staged"].startswith("staging/"):
                shutil.copy(path, staging / Path(known["staged"]).name)
    for read in (lambda: load(str(place.results)), place.play):
        with pytest.raises((RunError, InputError)) as problem:
            read()
        line = one_line(problem.value)
        assert str(place.results) in line and line.isprintable()
        if line.endswith(PLAYS_AGAIN):
            place.play()
            break


def test_reasons_reach_the_terminal_escaped(place: ContestDir) -> None:
    """What is wrong with a bot, and what it did, is free text."""
    poison(place, 1, lambda entry: entry["field"]["entrants"][2].update(problem=f"error: {ESCAPES}"))
    poison(place, 2, lambda entry: entry["batches"][0].update(sandbox=f"off {ESCAPES}"))
    forge_rows(
        place.results, "faults", lambda rows: [row.update(message=ESCAPES, question_text=ESCAPES) for row in rows]
    )
    for command in ("leaderboard", "crosstable"):
        done = call([command, "--results", str(place.results)])
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "\x1b" not in done.stdout and "\x07" not in done.stdout
        if command == "leaderboard":
            assert done.stdout.count("\\x1b[2J\\x1b]0;owned\\x07 [bold red]markup[/] [/nothing]") == 3
    assert call(["leaderboard", "--results", str(place.results), "--json"]).returncode == 0


def cell(column: str, value: Any, row: int = 0) -> Callable[[Rows], object]:
    return lambda rows: rows[row].update({column: value})


# What rows of legs/ and faults/ may claim, with hashes to match.
ROWS: dict[str, tuple[str, Callable[[Rows], object]]] = {
    "points of no session": ("legs", cell("points", float("nan"))),
    "points beyond all": ("legs", cell("points", 1.1e15)),
    "a variance below 0": ("legs", cell("variance", -1.0)),
    "a covariance beyond all": ("legs", cell("covariance", float("inf"))),
    "games below 0": ("legs", cell("games", -1)),
    "a negative match": ("legs", cell("match", -1)),
    "a number of another leg": ("legs", cell("number", 7)),
    "a seat that none has": ("legs", cell("seat", 9)),
    "escapes in a name": ("legs", cell("bot", ESCAPES)),
    "a bot of another match": ("legs", cell("bot", "even")),
    "more sessions": ("legs", cell("sessions", 99, 1)),
    "another digest": ("legs", cell("digest", bytes(32))),
    "fewer faults than are told": ("legs", lambda rows: [row.update(faults=0, ended=False) for row in rows]),
    "faults below 0": ("legs", cell("faults", -1)),
    "an end without a fault": ("legs", cell("ended", True)),
    "a leg twice": ("legs", lambda rows: rows.extend(rows[:2])),
    "a leg less": ("legs", lambda rows: rows.__delitem__(slice(2))),
    "a row less": ("legs", lambda rows: rows.pop()),
    "no rows": ("legs", lambda rows: rows.clear()),
    "legs in another order": ("legs", lambda rows: rows.reverse()),
    "a fault of another leg": ("faults", cell("match", 77)),
    "a fault of another seat": ("faults", cell("seat", 200)),
    "a question that is no word": ("faults", cell("decision", ESCAPES)),
    "a kind that is none": ("faults", cell("kind", "tired")),
    "a text without end": ("faults", cell("message", "x" * 100_001)),
}


@pytest.mark.parametrize("name", ROWS)
def test_poisoned_rows_of_legs_are_one_line_and_are_played_again(place: ContestDir, name: str) -> None:
    table, change = ROWS[name]
    before = load(str(place.results)).standings
    forge_rows(place.results, table, change)
    with pytest.raises(RunError) as problem:
        load(str(place.results))
    assert str(place.results) in one_line(problem.value) and one_line(problem.value).isprintable()
    if str(problem.value).endswith(PLAYS_AGAIN):
        place.play()
        pd.testing.assert_frame_equal(load(str(place.results)).standings, before)


@pytest.mark.parametrize("how", [{"compression": "zstd"}, {"use_dictionary": True}], ids=str)
def test_faults_that_could_take_more_memory_than_their_file_are_refused(place: ContestDir, how: dict[str, Any]) -> None:
    forge_part(place.results, "faults", lambda rows: rows, **how)
    with pytest.raises(RunError, match=r"faults/.* is damaged: it is compressed; run again"):
        load(str(place.results))


@pytest.mark.parametrize("dry", [True, False])
@pytest.mark.parametrize("inside", [True, False])
def test_a_contests_folder_that_is_a_link_is_neither_moved_nor_signed(
    place: ContestDir, tmp_path: Path, inside: bool, dry: bool
) -> None:
    """With other settings a run would move it to an archive: the link alone, and begin again."""
    target = place.results.parent / "elsewhere" if inside else tmp_path / "elsewhere"
    place.results.rename(target)
    place.results.symlink_to(target)
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    done = call(place.arguments("--seed", "8", *(["--dry-run"] if dry else [])))
    assert done.returncode == (0 if dry and inside else 1), done.stderr
    assert dry or "is a link" in done.stderr.splitlines()[-1]
    assert place.results.is_symlink() and not list(place.results.parent.glob("*-archive-*"))
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside of a value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places_in(inner, (*path, key))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_change_of_an_entry_is_one_line_or_valid_records(played: ContestDir, data: st.DataObject) -> None:
    """Any value of an entry replaced by any other, or left out, and sealed."""
    number = data.draw(st.sampled_from([1, 2]))
    before = (played.results / "ledger" / f"{number:08}.json").read_bytes()
    entry = entry_of(before)
    path = data.draw(st.sampled_from([path for path in places_in(entry) if path]))
    holder: Any = entry
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()) and isinstance(holder, dict):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(values)
    try:
        put(played, number, content_of(entry))
        results = load(str(played.results))
        assert len(results.standings) == len(results.setup.entrants)
        assert len(results.matches) >= 0 and len(results.faults) >= 0 and len(results.entrants) >= 0
    except (RunError, InputError) as problem:
        assert one_line(problem).isprintable()
    finally:
        put(played, number, before)
