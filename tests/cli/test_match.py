"""`tournament match`: as a run of the two would have it, told from the first bot's side, and nothing is left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tournament
from tests.cli.in_process import shown
from tests.contest_runs import CONTEST, bot_source


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("match")
    (place / "entrants" / CONTEST).mkdir(parents=True)
    (place / "entrants" / CONTEST / "bold.c").write_text(bot_source(3, 2))
    (place / "zealous.c").write_text(bot_source(6, 5))
    return place


def test_a_match_is_what_a_run_has(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(folder)
    words = ["match", CONTEST, "zealous.c", "bold", "--sessions", "60", "--seed", "a seed of this test"]
    told = shown(*words, "--json")
    report = json.loads(told.out)
    (tmp_path / "both").mkdir()
    for name, source in (("bold", bot_source(3, 2)), ("zealous", bot_source(6, 5))):
        (tmp_path / "both" / f"{name}.c").write_text(source)
    played = tournament.run(
        CONTEST, entrants=tmp_path / "both", results=tmp_path / "results", sessions=60, seed="a seed of this test"
    )
    match = played.ranking.matches[0]
    assert (report["bot"], report["opponent"], report["games"]) == ("zealous", "bold", match.games)
    assert report["points_per_session"] == -match.points_per_session  # y's side
    assert report["stderr"] == match.stderr_per_session
    assert not (folder / "results").exists()
    text = shown(*words, "--session", "2", "--game", "0").out
    assert "game 0: " in text and "→ " in text and "(95%)" in text
    kept = shown(*words, "--results", "kept")
    assert kept.code == 0 and (folder / "kept" / CONTEST / "matches.parquet").exists()


def test_what_cannot_be_played_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    for words, message in (
        (["bold", "entrants/von_neumann_poker/bold.c"], "both bots are called bold"),
        (["bold"], "say also the OPPONENT"),
        (["bold", "zealous.c", "--game", "1"], "--game: say also of which --session"),
    ):
        told = shown("match", CONTEST, *words)
        assert told.code == 2 and message in told.err and told.err.count("\n") == 1
    told = shown("match", "holdem_training", "threshold", "Alice")
    assert told.code == 2 and "has no such house player; there are Bob" in told.err
