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

from tests.commands import run_cli
from tests.contest_runs import CONTEST, ContestDir, make_contest
from tests.forgery import Head, carried_in, field_of, forge_head, forge_legs, part_of, put_carried, put_field
from tournament.api import verify
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.store.legs import Legs

ESCAPES = "\x1b[2J\x1b]0;owned\x07 [bold red]markup[/] [/nothing]"
Change = Callable[[Any], object]


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
    """Yield a copy of the records beside a file that no one may touch."""
    shutil.copytree(played.folder, tmp_path / "here")
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    before = {path: path.read_bytes() for path in victim.parent.glob("*.txt")}
    yield ContestDir(tmp_path / "here")
    assert {path: path.read_bytes() for path in victim.parent.glob("*.txt")} == before


def one_line(problem: BaseException) -> str:
    (line,) = str(problem).splitlines()
    return line


OUTSIDE = "../../../../victim.txt"


HEADS: dict[str, Change] = {
    "a staged path": lambda h: h["games"].__setitem__(3, OUTSIDE),
    "a hash that is none": lambda h: h["games"].__setitem__(2, "x"),
    "other legs than there are": lambda h: h.update(count=1),
    "legs beyond all": lambda h: h.update(count=1 << 62),
    "escapes in a name": lambda h: h.update(names=h["names"].replace(h["names"].split("\n")[0], ESCAPES)),
    "a fault of another seat": lambda h: fault_in(h).update(seat=200),
    "a text without end": lambda h: fault_in(h).update(message="x" * 100_001),
    "an end without a fault": lambda h: h["rests"][0].update(out=[0]),
}


def fault_in(head: Head) -> dict[str, Any]:
    found: dict[str, Any] = next(rest for rest in head["rests"] if rest["faults"])["faults"][0]
    return found


def cell(column: str, at: tuple[int, ...], value: float) -> Callable[[Legs], Legs]:
    def change(legs: Legs) -> Legs:
        getattr(legs, column)[at] = value
        return legs

    return change


# What columns of legs may claim, with seals to match.
COLUMNS: dict[str, Callable[[Legs], Legs]] = {
    "points of no session": cell("sums", (0, 0, 0), float("nan")),
    "a variance below 0": cell("sums", (0, 0, 3), -1.0),
    "another match": cell("counts", (1, 0), 77),
    "a player that is none": cell("players", (0, 0), 9),
    "a leg twice": lambda legs: legs.take([0, 0, 1]),
}


def test_impossible_carried_values_are_named_and_replayed(place: ContestDir) -> None:
    before, part = load(str(place.results)).standings, part_of(place.results, "sessions")
    whole = part.read_bytes()
    for name in (*HEADS, *COLUMNS):
        part.write_bytes(whole)
        if name in HEADS:
            forge_head(place.results, HEADS[name])
        else:
            forge_legs(place.results, COLUMNS[name])
        assert not len(load(str(place.results)).matches), name
        problems = verify(CONTEST, config=place.config).problems
        assert problems and all(str(one).isprintable() for one in problems), name
    place.play()
    pd.testing.assert_frame_equal(load(str(place.results)).standings, before)
    assert not verify(CONTEST, config=place.config).problems


def test_contest_folder_that_is_link_is_not_archived(place: ContestDir, tmp_path: Path) -> None:
    """Runs with other settings would archive the link alone."""
    target = tmp_path / "elsewhere"
    place.results.rename(target)
    place.results.symlink_to(target)
    before = {path: path.read_bytes() for path in target.rglob("*") if path.is_file()}
    done = run_cli(*place.arguments("--seed", "8"), columns=500)
    assert done.code == 1 and "is a link" in done.err.splitlines()[-1]
    assert place.results.is_symlink() and not list(place.results.parent.glob("*-archive-*"))
    assert {path: path.read_bytes() for path in target.rglob("*") if path.is_file()} == before


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside of a value."""
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places_in(inner, (*path, key))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_forged_value_is_one_line_or_valid_records(played: ContestDir, data: st.DataObject) -> None:
    """Replace any value by any other, or leave it out, and seal the result."""
    of_field = data.draw(st.booleans())
    part = part_of(played.results, "sessions")
    changed = played.results / "contest.json" if of_field else part
    before = changed.read_bytes()
    head, body = carried_in(part)
    told = field_of(played.results) if of_field else head
    path = data.draw(st.sampled_from([path for path in places_in(told) if path]))
    holder: Any = told
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()) and isinstance(holder, dict):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(values)
    try:
        if of_field:
            put_field(played.results, told)
        else:
            put_carried(part, told, body)
        results = load(str(played.results))
        assert len(results.standings) == len(results.setup.entrants)
        assert len(results.matches) >= 0 and len(results.faults) >= 0 and len(results.entrants) >= 0
    except (RunError, InputError) as problem:
        assert one_line(problem).isprintable()
    finally:
        changed.write_bytes(before)
