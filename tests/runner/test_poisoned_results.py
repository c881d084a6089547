"""Results folders from strangers: whatever stands in them, nothing outside is touched and an error is one line."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contest_runs import CONTEST, Place, bot_source, call, new_place
from tests.ledger_rows import content_of, entry_of
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.store.ledger import SEAL, sealed

ESCAPES = "\x1b[2J\x1b]0;owned\x07 [bold red]markup[/] [/nothing]"
Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Records of one part, with a bot that is broken and one that has faults."""
    place = new_place(tmp_path_factory.mktemp("poison"), ["bold", "calm"], sessions=10)
    place.write_bot("dull", "int a(const Bot *bot) { return }\n")
    place.write_bot("even", "int a(const Bot *b) { __builtin_trap(); } int b(const Bot *b, const int x) { return 1; }")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, *legs: False)
        place.play()
    return place


@pytest.fixture
def place(played: Place, tmp_path: Path) -> Iterator[Place]:
    """A copy of the records beside a file that nobody may touch."""
    shutil.copytree(played.folder, tmp_path / "here")
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    before = {path: path.read_bytes() for path in victim.parent.glob("*.txt")}
    yield Place(tmp_path / "here")
    assert {path: path.read_bytes() for path in victim.parent.glob("*.txt")} == before


def entry_at(place: Place, number: int) -> dict[str, Any]:
    """An entry with its legs as rows."""
    return entry_of((place.results / "ledger" / f"{number:08}.entry").read_bytes())


def put(place: Place, number: int, content: bytes) -> None:
    (place.results / "ledger" / f"{number:08}.entry").write_bytes(content)


def poison(place: Place, number: int, change: Change) -> None:
    entry = entry_at(place, number)
    change(entry)
    put(place, number, content_of(entry))


def one_line(problem: BaseException) -> str:
    (line,) = str(problem).splitlines()
    return line


def part(entry: dict[str, Any], **changes: Any) -> None:
    entry["batches"][0]["parts"][0].update(changes)


def leg(entry: dict[str, Any], **changes: Any) -> None:
    entry["batches"][0]["legs"][0].update(changes)


OUTSIDE = "../../../../victim.txt"
POISONS: dict[str, tuple[int, Change]] = {
    "a part's name": (2, lambda e: part(e, name=OUTSIDE)),
    "a part that went, elsewhere": (
        2,
        lambda e: e["batches"][0].update(legs=[], parts=[{**e["batches"][0]["parts"][0], "name": OUTSIDE}]),
    ),
    "a table": (2, lambda e: part(e, table="../../../..", name="victim.txt")),
    "a staged path": (2, lambda e: part(e, staged=OUTSIDE)),
    "another staged path": (2, lambda e: part(e, staged="ledger/00000001.entry")),
    "a name with NUL": (2, lambda e: part(e, name="x\0")),
    "no parts": (2, lambda e: e["batches"][0].update(parts=[])),
    "a size that is text": (2, lambda e: part(e, size="7")),
    "rows of no legs": (2, lambda e: part(e, rows=7)),
    "legs that are a number": (2, lambda e: e["batches"][0].update(legs=3)),
    "a leg twice in a batch": (2, lambda e: e["batches"][0]["legs"].append(e["batches"][0]["legs"][0])),
    "escapes in a name": (2, lambda e: leg(e, x=ESCAPES)),
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
def test_a_poisoned_entry_is_one_line_and_harms_nothing(place: Place, name: str) -> None:
    number, change = POISONS[name]
    poison(place, number, change)
    staging = place.results / "staging"
    for path in (place.results / "games").iterdir():  # as if not yet published, so that a run has something to move
        head = (place.results / "ledger" / "00000002.entry").read_bytes().partition(b"\n")[0]
        batch = json.loads(head)["batches"][0]
        for known in batch["parts"] if isinstance(batch["parts"], list) else ():
            if known["table"] == "games" and known["staged"].startswith("staging/"):
                shutil.copy(path, staging / Path(known["staged"]).name)
    for read in (lambda: load(str(place.results)), place.play):
        with pytest.raises((RunError, InputError)) as problem:
            read()
        line = one_line(problem.value)
        assert str(place.results) in line and line.isprintable()


def test_a_wrong_name_is_told_what_is_there(place: Place) -> None:
    with pytest.raises(InputError, match=rf"/wrong holds no results yet.*; beside it there is {CONTEST}$"):
        load(str(place.results.parent / "wrong"))


def test_a_contest_that_there_is_none_of(place: Place) -> None:
    poison(place, 1, lambda entry: entry["field"].update(contest="another"))
    with pytest.raises(InputError, match="no contest is called another"):
        load(str(place.results))


def test_reasons_reach_the_terminal_escaped(place: Place) -> None:
    """What is wrong with a bot, and what it did, is free text."""
    poison(place, 1, lambda entry: entry["field"]["entrants"][2].update(problem=f"error: {ESCAPES}"))
    poison(place, 2, lambda entry: entry["batches"][0].update(sandbox=f"off {ESCAPES}"))
    for change in entry_at(place, 2)["batches"][0]["legs"]:
        assert change["x"] != "dull"

    def what(entry: dict[str, Any]) -> None:
        for played in entry["batches"][0]["legs"]:
            for fault in played.get("faults", ()):
                fault.update(what=ESCAPES, asked=ESCAPES)

    poison(place, 2, what)
    for command in ("leaderboard", "crosstable"):
        done = call([command, "--results", str(place.results)])
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        assert "\x1b" not in done.stdout and "\x07" not in done.stdout
        if command == "leaderboard":
            assert done.stdout.count("\\x1b[2J\\x1b]0;owned\\x07 [bold red]markup[/] [/nothing]") == 3
    assert call(["leaderboard", "--results", str(place.results), "--json"]).returncode == 0


def test_former_settings_reach_the_terminal_escaped(place: Place) -> None:
    poison(place, 1, lambda entry: entry["field"]["settings"].update(bet_cap=ESCAPES * 1000))
    done = call(place.arguments())
    assert done.returncode == 0
    assert "Not what was played before (bet_cap was \\x1b[2J" in done.stderr
    assert "\x1b" not in done.stderr and len(done.stderr) < 5000


def replace_part(place: Place, table: str, make: Callable[[pa.Table], pa.Table]) -> None:
    """Put another table in a part's place, with size, hash and rows in the ledger."""
    (path,) = (place.results / table).iterdir()
    pq.write_table(make(pq.read_table(path)), path)
    content = path.read_bytes()
    number = ("games", "sessions").index(table)

    def change(entry: dict[str, Any]) -> None:
        entry["batches"][0]["parts"][number].update(
            size=len(content), blake3=blake3(content).hexdigest(), rows=pq.read_metadata(path).num_rows
        )

    poison(place, 2, change)


TABLES: dict[str, Callable[[pa.Table], pa.Table]] = {
    "a column missing": lambda table: table.drop_columns(["session"]),
    "a column of another type": lambda table: table.set_column(0, "match", table["match"].cast(pa.string())),
    "nullable columns": lambda table: pa.table(table.to_pydict()),
    "matches of nobody": lambda table: table.set_column(
        0, table.schema.field("match"), pa.array([77] * len(table), pa.int32())
    ),
    "other rows": lambda table: table.slice(1),
}


@pytest.mark.parametrize("table", ["games", "sessions"])
@pytest.mark.parametrize("name", TABLES)
def test_a_poisoned_part_is_one_line(place: Place, name: str, table: str) -> None:
    replace_part(place, table, TABLES[name])
    with pytest.raises((RunError, InputError)) as problem:
        getattr(load(str(place.results)), table)
    assert one_line(problem.value).isprintable()
    place.write_bot("calm", bot_source(9, 8))  # now its part is rewritten
    if name != "matches of nobody":
        with pytest.raises((RunError, InputError)) as problem:
            place.play()
        assert one_line(problem.value).isprintable()


def test_links_in_the_place_of_summaries_are_replaced(place: Place) -> None:
    for name in ("matches.parquet", "entrants.parquet", "faults.parquet"):
        (place.results / name).unlink()
        (place.results / name).symlink_to("../../../victim.txt")
    place.play()
    assert len(pq.read_table(place.results / "entrants.parquet")) == 4


@pytest.mark.parametrize("dry", [True, False])
@pytest.mark.parametrize("inside", [True, False])
def test_a_contests_folder_that_is_a_link_is_neither_moved_nor_signed(
    place: Place, tmp_path: Path, inside: bool, dry: bool
) -> None:
    """With other settings a run would move it to an archive: the link alone, and begin anew."""
    target = place.results.parent / "elsewhere" if inside else tmp_path / "elsewhere"
    place.results.rename(target)
    place.results.symlink_to(target)
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    done = call(place.arguments("--seed", "8", *(["--dry-run"] if dry else [])))
    assert done.returncode == (0 if dry and inside else 1), done.stderr
    assert dry or "is a link" in done.stderr.splitlines()[-1]
    assert place.results.is_symlink() and not list(place.results.parent.glob("*-archive-*"))
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before


def test_dry_run_signs_nothing(place: Place) -> None:
    sign = place.results / "ledger" / "writer"
    before = sign.read_bytes(), sign.stat().st_mtime_ns
    assert call(place.arguments("--dry-run")).returncode == 0
    assert (sign.read_bytes(), sign.stat().st_mtime_ns) == before


def test_archives_that_are_links_are_ignored(place: Place, tmp_path: Path) -> None:
    shutil.copytree(place.results, tmp_path / "elsewhere")
    assert call(place.arguments("--seed", "8")).returncode == 0
    shutil.rmtree(place.results.with_name(f"{CONTEST}-archive-1"))
    place.results.with_name(f"{CONTEST}-archive-2").symlink_to(tmp_path / "elsewhere")
    done = call(place.arguments())
    assert done.returncode == 0 and "they are back" not in done.stderr
    assert (tmp_path / "elsewhere").is_dir()


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
def test_any_change_of_an_entry_is_one_line_or_valid_records(played: Place, data: st.DataObject) -> None:
    """Any value of an entry replaced by any other, or left out, and sealed."""
    number = data.draw(st.sampled_from([1, 2]))
    before = (played.results / "ledger" / f"{number:08}.entry").read_bytes()
    line, _, rest = before.partition(b"\n")
    entry = json.loads(line)
    path = data.draw(st.sampled_from([path for path in places_in(entry) if path]))
    holder: Any = entry
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()) and isinstance(holder, dict):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(values)
    try:
        put(played, number, sealed(json.dumps(entry).encode(), b"\n", rest[:-SEAL]))
        results = load(str(played.results))
        assert len(results.standings) == len(results.field.entrants)
        assert len(results.matches) >= 0 and len(results.faults) >= 0 and len(results.entrants) >= 0
    except (RunError, InputError) as problem:
        assert one_line(problem).isprintable()
    finally:
        put(played, number, before)
