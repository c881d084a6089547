"""The dialogues in the documentation are what programs read and write."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.built_in import MATRIX_GAME, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.support import artifact_of
from tournament.contests.contest import Contest
from tournament.contests.two_card_draw.servers import generated_server
from tournament.entrants.build import build_entrants
from tournament.entrants.new import templates, write_new_bot
from tournament.keys import master_key
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin
from tournament.sandbox.outside.launch import ProcessLimits
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

DOCS = Path(__file__).resolve().parent.parent / "docs" / "reference"
# Unconfined, so that it can write what passes by to files.
RECIPE = 'command = ["sh", "-c", "tee {folder}/asked | python3 bot.py | tee {folder}/answered"]'


@pytest.mark.usefixtures("read_to_the_end")
@pytest.mark.parametrize(
    ("page", "contest", "keys"),
    [
        ("programs.md", VON_NEUMANN_POKER, {"sessions": 1}),
        ("matrix_game.md", MATRIX_GAME, {"sessions": 1, "turns_per_game": 3}),
        ("two_card_draw.md", TWO_CARD_DRAW, {"hands": 32}),
    ],
)
def test_dialogue_is_as_documented(
    page: str, contest: Contest, keys: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Play the contest's Python program. In the page, dots stand for lines between the beginning and the end."""
    monkeypatch.setattr(programs, "ProcessLimits", partial(ProcessLimits, file_megabytes=1))
    text = (DOCS / page).read_text()
    (seed,) = re.findall(r",\sseed (\d+)", text)
    (block,) = re.findall(r"\n\n```\n(< .*?)```", text, re.DOTALL)
    write_new_bot(contest, tmp_path / "bots", "my_bot", "program-python")
    (tmp_path / "bots" / "my_bot" / "bot.toml").write_text(RECIPE.format(folder=tmp_path))
    if not contest.house:
        shutil.copy(templates(contest)["c"], tmp_path / "bots" / "opponent.c")
    settings, sandbox = contest.settings.model_validate({"seed": seed, **keys}), SandboxSettings(mode="off")
    entrants = build_entrants(contest, settings, sandbox, tmp_path / "bots", lambda _text: None)
    # The deals don't depend on this folder's path, which the program's contents name.
    field = [Competitor(number, bot.name, bot.plays_as, bot.name) for number, bot in enumerate(entrants)]
    schedule: list[Any] = [contest.name, settings.playing(), master_key(seed), field]
    artifacts = {bot.artifact_sha256 or "": artifact_of(bot) for bot in entrants}
    if contest.house:
        artifacts["server"] = generated_server(master_key(seed), "example_0").content
        schedule.append([Competitor(0, "example_0", "house", "server")])
        (leg,) = AgainstHouse(*schedule).legs()
    else:
        (leg,) = RoundRobin(*schedule).legs()
    built = {bot.name: bot.artifact_sha256 or "" for bot in entrants}
    seats = tuple(seat._replace(artifact=built.get(seat.artifact, seat.artifact)) for seat in leg.seats)
    for name in ("asked", "answered"):
        (tmp_path / name).unlink(missing_ok=True)
    leg = replace(leg, seats=seats)
    (played,) = play_in_lanes(contest, settings, sandbox, [leg], artifacts, tmp_path / "cache", Spool())
    assert not played.result.faults
    first, *questions, score = (tmp_path / "asked").read_text().splitlines()
    answers = iter((tmp_path / "answered").read_text().splitlines())
    only_tell = {question.name for question in contest.interface.questions if question.is_news}
    lines = [f"< {first}"]
    for question in questions:
        lines.append(f"< {question}")
        if json.loads(question)["decision"] not in only_tell:
            lines.append(f"> {next(answers)}")
    assert not list(answers)
    lines.append(f"< {score}")
    dialogue = block.splitlines()
    if "…" in dialogue:
        dots = dialogue.index("…")
        lines = [*lines[:dots], "…", *lines[dots + 1 - len(dialogue) :]]
    assert dialogue == lines
