"""The command as users meet it: output and exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.commands import command
from tests.contest_runs import bot_source
from tournament.records.results import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a contest folder with two bots and a broken one, played."""
    place = tmp_path_factory.mktemp("contest")
    bots = place / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    for name, source in (
        ("steady", bot_source(6, 5)),
        ("loose", bot_source(0, 0)),
        ("torn", "int a(const Bot *b) { return"),
    ):
        (bots / f"{name}.c").write_text(source)
    (place / "tournament.toml").write_text('[von_neumann_poker]\nsessions = 300\nseed = 5\ntitle = "Autumn cup"\n')
    process = command(place, "run", "von_neumann_poker")
    assert process.code == 0, process.err
    assert "steady" in process.out and "broken" in process.out and "Autumn cup" in process.out
    assert "torn: broken: at the end of the file: error:" in process.out
    return place


def test_leaderboard_by_elo_counts_won_sessions(folder: Path) -> None:
    process = command(folder, "leaderboard", "--rating", "elo", "--json")
    assert process.code == 0, process.err
    lines = json.loads(process.out)
    assert [line["rank"] for line in lines] == [1, 2]
    elo = next(line for line in lines if line["name"] == "steady")
    assert "steady" in command(folder, "leaderboard", "--rating", "elo").out
    sessions = load(str(folder / "results")).sessions
    points_0 = sessions.points_0  # x is loose
    assert (elo["lost"], elo["drawn"], elo["won"]) == tuple(
        int(chosen.sum()) for chosen in (points_0 > 0, points_0 == 0, points_0 < 0)
    )


def test_tables_are_the_same_as_csv_json_and_text(folder: Path) -> None:
    rows = json.loads(command(folder, "crosstable", "--json").out)
    assert [(row["bot"], row["opponent"]) for row in rows] == [("loose", "steady"), ("steady", "loose")]
    assert rows[0]["points_per_session"] == -rows[1]["points_per_session"]
    assert f"{rows[0]['points_per_session']:+.2f}" in command(folder, "crosstable").out
    cells = list(csv.DictReader(io.StringIO(command(folder, "crosstable", "--csv").out)))
    assert cells == [{key: str(value) for key, value in row.items()} for row in rows]
    lines = json.loads(command(folder, "leaderboard", "--json").out)
    books = list(csv.DictReader(io.StringIO(command(folder, "leaderboard", "--csv").out)))
    assert set(books[0]) == {*lines[0]} - {"outlier_results"}
    for row, line in zip(books, lines, strict=True):
        assert row["name"] == line["name"] and row["rank"] == ("" if line["rank"] is None else str(line["rank"]))
        assert row["score"] == (str(line["score"]) if line["matches"] else "")
    assert not any(cell.startswith(("=", "+", "@")) for row in books for cell in row.values())


def test_faults_lists_broken_bot_with_compiler_output(folder: Path) -> None:
    said = command(folder, "faults").out
    assert said == command(folder, "faults", "--bot", "torn").out
    assert said.startswith("torn can't play: ") and "\nHint: the two functions are" in said
    assert command(folder, "faults", "--bot", "steady").out == "no faults\n"


def test_check_refuses_what_run_would(folder: Path, tmp_path: Path) -> None:
    bots = tmp_path / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    steady = folder / "entrants" / "von_neumann_poker" / "steady.c"
    (bots / "steady.c").write_bytes(steady.read_bytes())
    (bots / "steady.py").write_text("def a(bot): return 0\ndef b(bot, bet): return 0\n")
    (bots / "linked.c").symlink_to(steady)
    told = [command(tmp_path, "check", str(bots / name)) for name in ("steady.py", "linked.c")]
    assert [process.code for process in told] == [2, 2]
    assert "steady.c and steady.py have the same name, so none of them plays" in told[0].err
    assert "linked.c: it is a link to something outside" in told[1].err
