"""The command as users meet it: output, exit codes, errors of one line."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path

import pytest

from tests import forks
from tournament.records.results import load

ROOT = Path(__file__).resolve().parents[2]
STEADY = (
    "int a(const Bot *b) { return b->card > 0.6f ? 20 : 0; }\nint b(const Bot *b, int x) { return b->card > 0.5f; }\n"
)
LOOSE = "int a(const Bot *b) { return 5; }\nint b(const Bot *b, int x) { return 1; }\n"


def command(folder: Path, *arguments: str, columns: int = 100) -> subprocess.CompletedProcess[str]:
    """Run `tournament` in a folder."""
    return forks.call(arguments, os.environ | {"COLUMNS": str(columns), "NO_COLOR": "1"}, folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A contest folder with two bots and a broken one, played."""
    place = tmp_path_factory.mktemp("contest")
    bots = place / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    (bots / "steady.c").write_text(STEADY)
    (bots / "loose.c").write_text(LOOSE)
    (bots / "torn.c").write_text("int a(const Bot *b) { return")
    (place / "tournament.toml").write_text('[von_neumann_poker]\nsessions = 300\nseed = 5\ntitle = "Autumn cup"\n')
    process = command(place, "run", "von_neumann_poker")
    assert process.returncode == 0, process.stderr
    assert "steady" in process.stdout and "broken" in process.stdout and "Autumn cup" in process.stdout
    assert "torn: broken: at the end of the file: error:" in process.stdout
    return place


def test_leaderboard_by_elo_counts_won_sessions(folder: Path) -> None:
    process = command(folder, "leaderboard", "--rating", "elo", "--json")
    assert process.returncode == 0, process.stderr
    lines = json.loads(process.stdout)
    assert [line["rank"] for line in lines] == [1, 2]
    elo = next(line for line in lines if line["name"] == "steady")
    assert "steady" in command(folder, "leaderboard", "--rating", "elo").stdout
    sessions = load(str(folder / "results")).sessions
    points_0 = sessions.points_0  # x is loose
    assert (elo["lost"], elo["drawn"], elo["won"]) == tuple(
        int(chosen.sum()) for chosen in (points_0 > 0, points_0 == 0, points_0 < 0)
    )
    refused = command(folder, "leaderboard", "--rating", "best")
    assert refused.returncode == 2 and "expected one of: elo" in refused.stderr


def test_crosstable(folder: Path) -> None:
    rows = json.loads(command(folder, "crosstable", "--json").stdout)
    assert [(row["bot"], row["opponent"]) for row in rows] == [("loose", "steady"), ("steady", "loose")]
    assert rows[0]["points_per_session"] == -rows[1]["points_per_session"]
    assert set(rows[0]) == {"bot", "opponent", "sessions", "games", "points_per_session", "stderr", "ci_half_width"}
    table = command(folder, "crosstable").stdout
    assert f"{rows[0]['points_per_session']:+.2f}" in table
    cells = list(csv.DictReader(io.StringIO(command(folder, "crosstable", "--csv").stdout)))
    assert cells == [{key: str(value) for key, value in row.items()} for row in rows]


def test_a_gradebook_has_a_line_for_each_bot(folder: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(command(folder, "leaderboard", "--csv").stdout)))
    lines = json.loads(command(folder, "leaderboard", "--json").stdout)
    assert [row["name"] for row in rows] == [line["name"] for line in lines]
    assert set(rows[0]) == {*lines[0]} - {"outlier_results"}
    for row, line in zip(rows, lines):
        assert row["rank"] == ("" if line["rank"] is None else str(line["rank"]))
        assert row["score"] == (str(line["score"]) if line["matches"] else "")
        if line["rank"] is not None:
            assert line["points_per_game"] * line["games"] == pytest.approx(
                line["points_per_session"] * line["sessions"]
            )
    assert not any(cell.startswith(("=", "+", "@")) for row in rows for cell in row.values())
    refused = command(folder, "leaderboard", "--csv", "--json")
    assert refused.returncode == 2 and "--csv" in refused.stderr


@pytest.mark.parametrize("place", ["results", "results/von_neumann_poker"])
def test_results_can_be_named_with_or_without_the_contest(folder: Path, place: str) -> None:
    assert "steady" in command(folder, "leaderboard", "von_neumann_poker", "--results", place).stdout


def test_faults_have_bots_that_cannot_play_with_all_that_the_compiler_said(folder: Path) -> None:
    said = command(folder, "faults").stdout
    assert said == command(folder, "faults", "--bot", "torn").stdout
    assert said.startswith("torn can't play: ") and "\nHint: the two functions are" in said
    assert command(folder, "faults", "--bot", "steady").stdout == "no faults\n"


def test_check_refuses_what_a_run_would(folder: Path, tmp_path: Path) -> None:
    bots = tmp_path / "entrants" / "von_neumann_poker"
    bots.mkdir(parents=True)
    steady = folder / "entrants" / "von_neumann_poker" / "steady.c"
    (bots / "steady.c").write_bytes(steady.read_bytes())
    (bots / "steady.py").write_text("def a(bot): return 0\ndef b(bot, bet): return 0\n")
    (bots / "linked.c").symlink_to(steady)
    told = [command(tmp_path, "check", str(bots / name)) for name in ("steady.py", "linked.c")]
    assert [process.returncode for process in told] == [2, 2]
    assert "steady.c and steady.py have one name, and none of them plays" in told[0].stderr
    assert "linked.c: it is a link to something outside" in told[1].stderr


BAD_INPUT = [
    (["run", "bridge"], "no contest is called bridge"),
    (["run", "von_neumann_poker", "--sessions", "0"], "--sessions 0"),
    (["run", "von_neumann_poker", "--executor", "dask"], "--executor dask"),
    (["run", "von_neumann_poker", "--progress", "xml", "--dry-run"], "--progress xml: there is json"),
    (["run", "von_neumann_poker", "--entrants", "nowhere"], "nowhere does not exist"),
    (["run", "von_neumann_poker", "--config", "nowhere.toml"], "nowhere.toml can't be read"),
    (["leaderboard", "--results", "nowhere"], "holds no results yet: `tournament run` makes them"),
    (["leaderboard", "two_card_draw", "--results", "results/von_neumann_poker"], "holds results of von_neumann_poker"),
    (["report", "two_card_draw", "--results", "results"], "two_card_draw holds no results"),
    (["verify", "two_card_draw", "--results", "results/von_neumann_poker"], "none of two_card_draw"),
    (["check", "nowhere.c"], "not found: say the path of the bot's file"),
    (["check", "steady"], "not found; did you mean entrants/von_neumann_poker/steady.c?"),
    (["faults", "--bot", "stedy"], "--bot stedy: the records have no such bot, did you mean steady?"),
    (["replay", "von_neumann_poker", "--match", "loose,steedy", "--session", "0"], "they have no steedy, did you mean"),
    (["check", "stray.c", "--config", "other.toml"], "other.toml can't be read"),
    (["check", "tournament.toml"], "bots are files ending in"),
    (
        ["match", "von_neumann_poker", "steady", "loos"],
        "loos: not found among files, entrants and shipped bots, did you",
    ),
    (["match", "steady", "loose", "--until-settled", "95"], "between 0.5 and 1, such as 0.95"),
    (["replay", "von_neumann_poker", "--match", "a", "--session", "0"], "--match a: say its number"),
    (["new", "von_neumann_poker", "a/b"], "a bot's name has"),
    (["new", "von_neumann_poker", "x", "--language", "cobol"], "--language cobol"),
    (["new", "von_neumann_poker", "steady", "--language", "python"], "steady.c is there already"),
    *(
        (["judge", *words.split()], message)
        for words, message in (
            ("von_neumann_poker -- true", "von_neumann_poker has no judge for programs"),
            ("holdem_training --hands 5 --decks x -- true", "leave one of"),
            ("holdem_training --decks x -- true", "x can't be read"),
            ("holdem_training --transcript a/b -- true", "can't be written"),
            (
                "holdem_training --transcript /dev/full -- yes RATE",
                "--transcript /dev/full: can't be written: No space",
            ),
            ("holdem_training -- no_such_program", "no_such_program is not installed on this machine"),
        )
    ),
    *(
        (["strategy", *words.split()], f"tournament: {message}")
        for words, message in (
            ("generate --bet1 0 --bet2 1 -o x", "--bet1 0: must be 1 to 5"),
            ("generate --bet1 2 --bet2 7 -o x", "--bet2 7: must be 2 to 6, from bet1 to three times bet1"),
            ("generate --bet1 2 --bet2 1 -o x", "--bet2 1: must be 2 to 6, from bet1 to three times bet1"),
            ("generate --bet1 1 --bet2 1 --seed -1 -o x", "--seed -1: must be 0 to 2⁶³ − 1"),
            ("evaluate nowhere.txt", "nowhere.txt can't be read: No such file or directory"),
            ("generate --bet1 1 --bet2 1 -o /proc/x/y", "/proc/x/y can't be written"),
        )
    ),
    (["init", "/dev/null/below"], "/dev/null/below can't be written"),
    (["init", "nothing", "--contest", "bridge"], "no contest is called bridge"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_INPUT, ids=[" ".join(a) for a, _ in BAD_INPUT])
def test_bad_input_is_one_line_and_exit_2(folder: Path, arguments: list[str], message: str) -> None:
    process = command(folder, *arguments)
    assert process.returncode == 2
    assert process.stderr.count("\n") == 1
    assert message in process.stderr
    assert "Traceback" not in process.stderr
