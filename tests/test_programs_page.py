"""The dialogues in the documentation are what programs read and write."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.built_in import MATRIX_GAME, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.support import artifact_of
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.contests.two_card_draw.rules import Settings
from tournament.contests.two_card_draw.servers import generated_server
from tournament.entrants.build import build_entrants
from tournament.entrants.new import templates, write_new_bot
from tournament.keys import master_key
from tournament.leg import Leg
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
Artifacts = dict[str, bytes]


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "ProcessLimits", partial(ProcessLimits, file_megabytes=1))


def documented(page: str) -> tuple[int, list[str]]:
    """Return a page's dialogue and the seed that it is said to come from."""
    text = (DOCS / page).read_text()
    (seed,) = re.findall(r",\sseed (\d+)", text)
    (block,) = re.findall(r"\n\n```\n(< .*?)```", text, re.DOTALL)
    return int(seed), block.splitlines()


def assert_shows(dialogue: list[str], lines: list[str]) -> None:
    """Check a page's dialogue, in which dots stand for lines between its beginning and its end."""
    if "…" in dialogue:
        dots = dialogue.index("…")
        lines = [*lines[:dots], "…", *lines[dots + 1 - len(dialogue) :]]
    assert dialogue == lines


def overheard(
    folder: Path,
    contest: Contest,
    settings: ContestSettings,
    leg_of: Callable[[list[Competitor], Artifacts], Leg],
    opponent: str | None = None,
) -> list[str]:
    """Return a leg of the contest's Python program, my_bot: what it reads, after "< ", and writes, after "> "."""
    bots = folder / "bots"
    write_new_bot(contest, bots, "my_bot", "program-python")
    (bots / "my_bot" / "bot.toml").write_text(RECIPE.format(folder=folder))
    if opponent:
        shutil.copy(templates(contest)[opponent], bots / f"opponent.{opponent}")
    sandbox = SandboxSettings(mode="off")
    entrants = build_entrants(contest, settings, sandbox, bots, lambda _text: None)
    artifacts = {bot.artifact_sha256 or "": artifact_of(bot) for bot in entrants}
    competitors = [Competitor(n, bot.name, bot.plays_as, bot.artifact_sha256 or "") for n, bot in enumerate(entrants)]
    # The deals don't depend on this folder's path, which the program's contents name.
    leg = leg_of([replace(one, artifact=one.name) for one in competitors], artifacts)
    artifact = {one.name: one.artifact for one in competitors}
    seats = (seat._replace(artifact=artifact.get(seat.artifact, seat.artifact)) for seat in leg.seats)
    leg = replace(leg, seats=tuple(seats))
    for name in ("asked", "answered"):
        (folder / name).unlink(missing_ok=True)
    (played,) = play_in_lanes(contest, settings, sandbox, [leg], artifacts, folder / "cache", Spool())
    assert not played.result.faults
    first, *questions, score = (folder / "asked").read_text().splitlines()
    answers = iter((folder / "answered").read_text().splitlines())
    only_tell = {question.name for question in contest.interface.questions if question.is_news}
    dialogue = [f"< {first}"]
    for question in questions:
        dialogue.append(f"< {question}")
        if json.loads(question)["decision"] not in only_tell:
            dialogue.append(f"> {next(answers)}")
    assert not list(answers)
    return [*dialogue, f"< {score}"]


@pytest.mark.usefixtures("read_to_the_end", "small_files")
@pytest.mark.parametrize(
    ("page", "contest", "keys"),
    [("programs.md", VON_NEUMANN_POKER, {}), ("matrix_game.md", MATRIX_GAME, {"turns_per_game": 3})],
)
def test_dialogue_of_a_match_is_as_documented(
    page: str, contest: Contest, keys: dict[str, int], tmp_path: Path
) -> None:
    seed, dialogue = documented(page)
    settings = contest.settings.model_validate({"sessions": 1, "seed": seed, **keys})

    def leg_of(competitors: list[Competitor], _artifacts: Artifacts) -> Leg:
        (leg,) = RoundRobin(contest.name, settings.playing(), master_key(str(seed)), competitors).legs()
        return leg

    assert_shows(dialogue, overheard(tmp_path, contest, settings, leg_of, "c"))


@pytest.mark.usefixtures("read_to_the_end", "small_files")
def test_dialogue_of_two_card_draw_is_as_documented(tmp_path: Path) -> None:
    seed, dialogue = documented("two_card_draw.md")
    settings = Settings.model_validate({"seed": seed, "hands": 32})
    server = generated_server(master_key(str(seed)), "example_0")

    def leg_of(competitors: list[Competitor], artifacts: Artifacts) -> Leg:
        artifacts["server"] = server.content
        house = [Competitor(0, server.name, "house", "server")]
        (leg,) = AgainstHouse("two_card_draw", settings.playing(), master_key(str(seed)), competitors, house).legs()
        return leg

    assert_shows(dialogue, overheard(tmp_path, TWO_CARD_DRAW, settings, leg_of))
