"""The dialogue in docs/programs.md is what a program reads and writes."""

from __future__ import annotations

import re
import shutil
import time
from functools import partial
from pathlib import Path

import pytest

from tests.support import artifact_of, poker_settings
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.entrants.build import build_entrants
from tournament.new import templates
from tournament.processes import programs
from tournament.processes.confinement import Confined, Limits
from tournament.processes.lanes import play_in_lanes
from tournament.processes.settings import SandboxSettings
from tournament.processes.spool import Spool
from tournament.schedule import Competitor, RoundRobin

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "programs.md").read_text()
SEED = int(re.findall(r"seed (\d+)", PAGE)[0])
# Unconfined, so that it can write what passes by to files.
RECIPE = 'command = ["sh", "-c", "tee {folder}/asked | python3 bot.py | tee {folder}/answered"]'


def test_the_dialogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end = Confined.end

    def patient_end(process: Confined) -> int:
        process.close_input()
        time.sleep(0.3)
        return end(process)

    monkeypatch.setattr(Confined, "end", patient_end)
    monkeypatch.setattr(programs, "Limits", partial(Limits, file_megabytes=1))
    bots = tmp_path / "bots"
    shutil.copytree(templates(VON_NEUMANN_POKER)["program-python"], bots / "my_bot")
    sandbox = SandboxSettings(mode="off")
    (bots / "my_bot" / "bot.toml").write_text(RECIPE.format(folder=tmp_path))
    shutil.copy(templates(VON_NEUMANN_POKER)["c"], bots / "opponent.c")
    settings = poker_settings(sessions=1, seed=SEED)
    entrants = build_entrants(VON_NEUMANN_POKER, settings, sandbox, bots, lambda _text: None)
    artifacts = {bot.artifact_sha256 or "": artifact_of(bot) for bot in entrants}
    competitors = [Competitor(n, bot.name, bot.plays_as, bot.artifact_sha256 or "") for n, bot in enumerate(entrants)]
    (leg,) = RoundRobin("von_neumann_poker", settings.playing(), competitors).legs()
    for name in ("asked", "answered"):
        (tmp_path / name).unlink(missing_ok=True)
    (played,) = play_in_lanes(VON_NEUMANN_POKER, settings, sandbox, [leg], artifacts, tmp_path / "cache", Spool())
    assert not played.result.faults
    first, *questions, score = (tmp_path / "asked").read_text().splitlines()
    answers = (tmp_path / "answered").read_text().splitlines()
    dialogue = [f"< {first}"]
    for question, answer in zip(questions, answers, strict=True):
        dialogue += [f"< {question}", f"> {answer}"]
    dialogue.append(f"< {score}")
    block = re.findall(r"\n\n```\n(<.*?)```", PAGE, re.DOTALL)
    assert [part.splitlines() for part in block] == [dialogue]
