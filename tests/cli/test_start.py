"""What a start takes: commands load what they need, and no more, since most of a short one's time goes into modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_cli import command
from tests.contest_runs import bot_source
from tournament.cli import consoles
from tournament.contests import CONTESTS

# The command in a process that tells in the end which modules it loaded.
_TELLING = """
import sys
from tournament.__main__ import main
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""
HEAVY = {"numpy", "pandas", "pyarrow", "pydantic", "ray", "obstore", "wasmtime"}


def loaded(folder: Path, *arguments: str) -> set[str]:
    """The modules that a command loads, which has to end well."""
    process = subprocess.run(
        [sys.executable, "-c", _TELLING, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(process.stderr.splitlines()[-1].split())


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    assert not loaded(tmp_path, "--help") & {*HEAVY, "rich", "engine", "tournament.contests", "tournament.config"}


def test_a_notebook_offers_what_is_not_loaded_yet() -> None:
    said = [sys.executable, "-c", "import sys, tournament; print(*dir(tournament), 'pandas' in sys.modules)"]
    names = subprocess.run(said, capture_output=True, text=True, check=True).stdout.split()
    assert {"gauntlet", "load", "replay", "report", "run", "scan", "verify", "False"} <= set(names)


def test_help_of_run_loads_no_contest(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "run", "--help")  # Typer itself loads pydantic
    assert not modules & {*HEAVY - {"pydantic"}, "engine", "tournament.config", "tournament.contests.contest"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a contest was played."""
    folder = tmp_path_factory.mktemp("start")
    bots = folder / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    for name, bets_above in (("bold", 20), ("calm", 80)):
        (bots / f"{name}.c").write_text(bot_source(bets_above, 50))
    assert command(folder, "run", "von_neumann_poker", "--sessions", "2").returncode == 0
    return folder


def test_contests_that_nobody_asks_for_are_not_loaded(place: Path) -> None:
    modules = loaded(place, "leaderboard", "von_neumann_poker")
    assert "tournament.contests.von_neumann_poker" in modules
    others = {"two_card_draw", "holdem_training", "matrix_game"}
    assert not {f"{package}.{name}" for package in ("tournament.contests", "engine") for name in others} & modules
    assert not {"pyarrow", "wasmtime", "pandas"} & modules


def test_a_run_loads_no_library_of_functions_on_tables(place: Path) -> None:
    modules = loaded(place, "run", "von_neumann_poker", "--sessions", "3")
    assert "pyarrow.parquet" in modules
    assert not {"pyarrow.compute", "pyarrow.dataset", "pandas", "ray", "obstore"} & modules


def test_a_commands_help_names_the_contests(tmp_path: Path) -> None:
    text = " ".join(command(tmp_path, "verify", "--help").stdout.split())
    assert ", ".join(contest.name for contest in CONTESTS) in text


def test_help_has_whole_first_sentences(tmp_path: Path) -> None:
    text = " ".join(command(tmp_path, "--help").stdout.split())
    assert "Build a bot, play it against a house bot, question it at the limits, and say whether it can enter." in text


def test_words_between_colons_stay_as_they_are() -> None:
    """What strangers wrote names no picture; and to look for any would load a thousand names."""
    with consoles.out.capture() as written:
        consoles.out.print("a bot says :smile:")
    assert written.get() == "a bot says :smile:\n"


def test_no_garbage_is_looked_for_among_modules(place: Path) -> None:
    """A hundred thousand lasting objects take a twentieth of a small run's time to search."""
    script = (
        "import gc, sys\n"
        "from tournament.__main__ import main\n"
        "found = []\n"
        "gc.callbacks.append(lambda phase, info: found.append(phase))\n"
        "try:\n    main()\nfinally:\n    print(len(found), 'collections', file=sys.stderr)\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", script, "run", "von_neumann_poker", "--results", "anew", "--sessions", "2"],
        cwd=place, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert process.stderr.splitlines()[-1] == "0 collections"


def test_a_run_of_bots_in_c_loads_nothing_for_processes(place: Path) -> None:
    modules = loaded(place, "run", "von_neumann_poker", "--results", "c_alone", "--sessions", "2")
    assert not modules & {"tournament.worker.processes.lanes", "tournament.worker.processes.pool"}
