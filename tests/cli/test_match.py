"""`tournament match`: as a run of the two would have it, told from the first bot's side, and nothing is left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tournament
from tests.commands import command, run_cli
from tests.contest_runs import CONTEST, bot_source


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("match")
    (place / "entrants" / CONTEST).mkdir(parents=True)
    (place / "entrants" / CONTEST / "bold.c").write_text(bot_source(3, 2))
    (place / "zealous.c").write_text(bot_source(6, 5))
    return place


def test_match_plays_what_a_run_has(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(folder)
    words = ["match", CONTEST, "zealous.c", "bold", "--sessions", "60", "--seed", "a seed of this test"]
    told = run_cli(*words, "--json")
    report = json.loads(told.out)
    (tmp_path / "both").mkdir()
    for name, source in (("bold", bot_source(3, 2)), ("zealous", bot_source(6, 5))):
        (tmp_path / "both" / f"{name}.c").write_text(source)
    played = tournament.run(
        CONTEST, entrants=tmp_path / "both", results=tmp_path / "results", sessions=60, seed="a seed of this test"
    )
    match = played.ranking.matches[0]
    assert (report["bot"], report["opponent"], report["games"]) == ("zealous", "bold", match.games)
    (line,) = report["opponents"]
    assert report["points"]["value"] == line["points"]["value"] == -match.points_per_session  # y's side
    assert line["points"]["stderr"] == line["opponent_points"]["stderr"] == match.stderr_per_session
    assert not (folder / "results").exists()
    text = run_cli(*words, "--session", "2", "--game", "0").out
    assert "game 0: " in text and "→ " in text and "± 95%" in text
    kept = run_cli(*words, "--results", "kept")
    assert kept.code == 0 and (folder / "kept" / CONTEST / "matches.parquet").exists()


DILEMMA = """
[dilemma]
rules = "matrix_game"
moves = ["cooperate", "defect"]
payoffs = [[3, 0], [5, 1]]
turns_per_game = 10
sessions = 40
noise = {noise}
"""
MOVES = {
    "defects.c": "return 1;",
    "cooperates.c": "return 0;",
    "forgives.c": "return bot->opponents_previous_move == 1;",
}


def dilemma(folder: Path, noise: float = 0.0) -> None:
    (folder / "tournament.toml").write_text(DILEMMA.format(noise=noise))
    (folder / "entrants" / "dilemma").mkdir(parents=True)
    for name, body in MOVES.items():
        (folder / "entrants" / "dilemma" / name).write_text(f"int move(const Bot *bot) {{ {body} }}\n")


def verdict(text: str) -> str:
    (line,) = [line for line in text.splitlines() if line.startswith("verdict")]
    return line.removeprefix("verdict").strip()


@pytest.mark.parametrize("bots", [("defects", "forgives"), ("forgives", "defects")])
def test_error_of_lead_is_of_the_difference(
    bots: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sessions show nearly the same error, because blocks of 40 sessions have one or two."""
    dilemma(tmp_path, noise=0.1)
    monkeypatch.chdir(tmp_path)
    words = ["match", "dilemma", *bots, "--seed", "1", "--results", "kept"]
    text = run_cli(*words[:-2]).out
    report = json.loads(run_cli(*words, "--json").out)
    rows = tournament.load("kept").sessions
    lead = rows.points_0 - rows.points_1  # `defects` is the first by name.
    error = float(lead.std(ddof=1) / len(lead) ** 0.5)
    assert report["lead"]["stderr"] == pytest.approx(error, rel=0.15)
    sides = ["points", "opponent_points"]
    own, others = (report["opponents"][0][side]["value"] for side in (sides if bots[0] == "defects" else sides[::-1]))
    assert (own, others) == (rows.points_0.mean(), rows.points_1.mean())
    assert own > others
    assert report["lead"]["value"] == (own - others if bots[0] == "defects" else others - own)
    by = f"{(own - others) / report['lead']['stderr']:,.1f} standard errors"
    assert verdict(text) == f"defects is ahead in this match, by {by}"
    with (tmp_path / "tournament.toml").open("a") as file:
        file.write("replicas = 10\n")
    told = run_cli(*words[:-2])
    assert verdict(told.out).startswith("defects is ahead, by") and "10 replicas of " in told.err


def test_match_needs_no_contest_if_settings_have_one(tmp_path: Path) -> None:
    dilemma(tmp_path)
    told = command(tmp_path, "match", "defects", "cooperates", "--seed", "1", "--results", "kept")
    assert verdict(told.out) == "defects is ahead in this match, by the same in every session"
    beyond = command(
        tmp_path, "replay", "dilemma", "--results", "kept", "--match", "defects,cooperates", "--session", "40"
    )
    assert "match defects,cooperates has sessions 0 to 39" in beyond.err
    (tmp_path / "tournament.toml").write_text(DILEMMA.format(noise=0) + "[von_neumann_poker]\n")
    assert "no contest is called defects" in command(tmp_path, "match", "defects", "cooperates").err
