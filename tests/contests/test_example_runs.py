"""Runs of an example with four seats, and every command."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import EXAMPLES
from tournament.records.results import Results

SEED = "a seed of the tests of examples"
SETTINGS: dict[str, Any] = {"sessions": 4, "turns": 40, "seats": 4, "seed": SEED, "max_faults": 0}


def copied(folder: Path, **more: Any) -> Path:
    """Copy snakes and its bots to a folder, with settings that make it short."""
    shutil.copytree(EXAMPLES / "snakes", folder, dirs_exist_ok=True)
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**SETTINGS, **more}.items()]
    (folder / "tournament.toml").write_text("\n".join(["[snakes]", 'rules = "snakes.py"', *lines, ""]))
    return folder


def play(folder: Path) -> Results:
    return tournament.run("snakes", config=folder / "tournament.toml", workers=1, executor="local")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    folder = copied(tmp_path_factory.mktemp("snakes"))
    return folder, play(folder)


def test_four_seat_records_answer_every_command(played: tuple[Path, Results], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, found = played
    monkeypatch.chdir(folder)
    bot, match = "entrants/snakes/any_way.c", str(found.matches.match.iloc[0])
    assert found.faults.empty and found.ranking.seats == 4, found.faults
    for words, expected in (
        (f"replay snakes --match {match} --session 1", "any_way"),
        (f"check {bot}", "fit to enter"),
        (f"match snakes {bot} --sessions 4", "any_way"),
        ("leaderboard snakes", "any_way"),
        ("crosstable snakes", ""),
        ("report snakes -o page.html", ""),
    ):
        answer = run_cli(*words.split(), columns=200)
        assert answer.code == 0 and "Traceback" not in answer.err, (words, answer.out, answer.err)
        assert expected in answer.out + answer.err, (words, answer.out, answer.err)
    replayed = tournament.replay("snakes", match=int(match), session=1)
    assert len(replayed.seats) == 4 and replayed.mismatch == ""
    page = (folder / "page.html").read_text()
    assert all(line.name in page for line in found.ranking.entrants)
    assert all(one.startswith("<svg ") for one in replayed.drawings) and "<svg " in page


def test_two_seat_option_is_refused_for_four_seats(
    played: tuple[Path, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played[0])
    for words, message in (
        ("leaderboard snakes --rating elo", "snakes: it has matches of 4 bots; --rating is for two"),
        ("match snakes BOT --until-settled 0.9", "--until-settled requires --baseline, or one OTHER"),
        ("match snakes BOT entrants/snakes/hungry.py", "a match needs 4 bots, one for each seat"),
    ):
        answer = run_cli(*words.replace("BOT", "entrants/snakes/roomy.cpp").split(), columns=300)
        assert answer.code == 2 and message in answer.err.splitlines()[-1], answer.err
