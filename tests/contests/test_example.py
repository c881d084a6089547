"""The example of liar's dice as played, replayed and drawn."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.contest_runs import EXAMPLES
from tests.reporting.html_reader import read_html
from tournament.api import replay, report, run
from tournament.reporting import replays
from tournament.reporting.writing import make_page

SEED = "a seed of the tests of examples"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Settings and bots of the example, with records."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copytree(EXAMPLES / "liars_dice", folder, dirs_exist_ok=True)
    run("liars_dice", config=folder / "tournament.toml", sessions=100, executor="local", workers=1, seed=SEED)
    return folder


def test_example_replay_and_report_name_bots_and_points(played: Path) -> None:
    """Names of the columns are enough to describe a game."""
    results = played / "results"
    found = replay("liars_dice", match=("own_hand", "counter"), session=3, config=played / "tournament.toml")
    assert found.mismatch == "" and [game.game for game in found.games] == [0]
    assert re.fullmatch(r"(counter|own_hand) is first, last bid: \d+, held: (yes|no), .*", found.games[0].outcome)
    assert "own_hand points: " in found.games[0].outcome
    assert found.games[0].steps[0].question_text.endswith(", last_bid 0, legal_actions [1 to 60]")
    assert dict[str, object](found.games[0].steps[0].observation)["legal_actions"] == list(range(1, 61))
    text, _ = make_page(str(results / "liars_dice"))
    assert "a point is a session won" in text
    assert '"is first"' in text and '"held: yes"' in text and not re.search(r"\b[xy][ _](is|points)\b", text)


def test_example_report_draws_decisions_of_replayed_session(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports without the bots and settings show the columns."""
    monkeypatch.setattr(replays, "_MAX_SECONDS", 600.0)
    config = played / "tournament.toml"
    found = replay("liars_dice", match=("own_hand", "counter"), session=0, config=config)
    (game,) = found.games
    assert len(found.drawings) == len(game.steps) + 1 and all("position 1: [" in one for one in found.drawings)
    assert "no bid yet" in found.drawings[0] and "bid: " in found.drawings[-1]
    data = viewer_data(report("liars_dice", played / "drawn.html", config=config).read_text())
    (shown,) = (match["games"][0] for match in data["matches"] if match["bots"] == [*found.seats])
    steps = [data["steps"][number] for number in shown["steps"]]
    assert shown["label"].startswith("session 0, played again")
    assert [data["pictures"][step["picture"]] for step in steps] == list(found.drawings)
    assert [step["what"] for step in steps[:-1]] == [f"bid: {step.answer}" for step in game.steps]
    assert [step["seat"] for step in steps[:-1]] == [step.seat for step in game.steps]
    shutil.copytree(played / "results", played / "elsewhere")
    without = viewer_data(make_page(str(played / "elsewhere" / "liars_dice"))[0])
    assert "position 1" not in json.dumps(without) and "is first" in {step["what"] for step in without["steps"]}


def viewer_data(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read_html(page).first("script", id="games-data").text)
    return found
