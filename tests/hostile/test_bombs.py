"""Whatever small file of somebody else's stands for, a command refuses it in one line, with little memory and time."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.contest_runs import Place, bot_source, call, new_place
from tests.hostile import bombs

_MOST_MEGABYTES, _MOST_SECONDS = 500, 10

# What is put into the records, who reads it, and what they say of it.
BOMBS: dict[str, tuple[Callable[[Place], None], tuple[str, ...], str]] = {
    "a summary of many rows": (
        partial(bombs.swollen_summary, rows=5_000_000),
        ("verify",),
        "matches.parquet is not what the ledger comes to",
    ),
    "a summary of long texts": (
        bombs.summary_of_long_texts,
        ("verify",),
        "matches.parquet is not what the ledger comes to",
    ),
}
_SLOW = {"a summary of many rows"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = new_place(tmp_path_factory.mktemp("bombs"), ["bold", "calm"], sessions=10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.Together.is_full", lambda pace, *legs: False)
        place.play()
    return place


@pytest.fixture
def place(played: Place, tmp_path: Path) -> Place:
    shutil.copytree(played.folder, tmp_path / "here")
    return Place(tmp_path / "here")


def measured(place: Place, command: str) -> tuple[int, str, float, float]:
    """The exit code of a command, what it said, the megabytes that it took, and its seconds of processor time."""
    taken = place.folder / "taken"
    setup = f"""
def after():
    import resource
    used = resource.getrusage(resource.RUSAGE_SELF)
    open({str(taken)!r}, "w").write(f"{{used.ru_maxrss / 1024}} {{used.ru_utime + used.ru_stime}}")
"""
    records = ["--results", str(place.results)]
    if command == "edited":
        place.write_bot("calm", bot_source(9, 8))
    words = {
        "report": ["report", *records, "-o", str(place.folder / "page.html")],
        "bradley-terry": ["leaderboard", "--rating", "bradley-terry", *records],
        "run": place.arguments(),
        "edited": place.arguments(),
    }.get(command, [command, *records])
    done = call(words, setup)
    megabytes, seconds = map(float, taken.read_text().split())
    return done.returncode, done.stdout + done.stderr, megabytes, seconds


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough if name in _SLOW else ()) for name in BOMBS]
)
def test_a_bomb_is_refused_in_a_line(place: Place, name: str) -> None:
    build, readers, words = BOMBS[name]
    build(place)
    for command in readers:
        code, said, megabytes, seconds = measured(place, command)
        assert code in (1, 2) and words in said, (command, said)
        assert "Traceback" not in said
        assert (megabytes < _MOST_MEGABYTES, seconds < _MOST_SECONDS) == (True, True), (command, megabytes, seconds)
