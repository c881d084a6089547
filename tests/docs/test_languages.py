"""The bots of the page on languages play at default settings, wherever their languages are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.built_in import TWO_CARD_DRAW, VON_NEUMANN_POKER
from tournament.config import load_config
from tournament.contests.contest import Contest
from tournament.contests.rules_loader import Source, load_source
from tournament.entrants.new import templates, write_new_bot
from tournament.runner.listener import NullListener
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import check_bot

PAGE = (Path(__file__).parents[2] / "docs" / "how_to" / "languages.md").read_text()
FILES = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
NEEDED = {"Perl": "perl", "awk": "mawk"}
WRITTEN = {"program-javascript": "node", "program-java": "javac", "program-go": "go", "program-rust": "rustc"}


def test_all_are_tried() -> None:
    assert FILES.keys() == NEEDED.keys()


@pytest.mark.parametrize("language", NEEDED)
def test_it_plays(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(NEEDED[language], path="/usr/local/bin:/usr/bin:/bin") is None:
        pytest.skip(f"{language} is not installed")
    folder = tmp_path / language.lower()
    folder.mkdir()
    for name, content in re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", FILES[language], re.DOTALL):
        (folder / name).write_text(content)
    monkeypatch.setattr("tournament.trial.trial_legs.SESSIONS", 3)
    monkeypatch.chdir(tmp_path)
    config = load_config(VON_NEUMANN_POKER.name)
    report = check_bot(VON_NEUMANN_POKER, config.contest, config.sandbox, folder, NullListener())
    assert report.fit, (report.problem, report.faults)


def toolchain(command: str, monkeypatch: pytest.MonkeyPatch) -> SandboxSettings:
    """Return the sandbox in which a command is found, or skip the test."""
    if shutil.which(command, path="/usr/local/bin:/usr/bin:/bin"):
        return SandboxSettings()
    place = ""
    if command == "rustc" and shutil.which(command):
        # rustup keeps it in a home, of which bots see nothing, and needs to be set up there.
        place = subprocess.run([command, "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    if not place:
        pytest.skip(f"{command} is not installed")
    monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    return SandboxSettings(readable_paths=[place])


@pytest.mark.parametrize(
    ("language", "contest"),
    [
        *((language, VON_NEUMANN_POKER) for language in WRITTEN),
        pytest.param("program-rust", TWO_CARD_DRAW, marks=pytest.mark.slow),
    ],
    ids=lambda one: one if isinstance(one, str) else one.name,
)
def test_program_that_new_writes_is_fit(
    language: str, contest: Contest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = toolchain(WRITTEN[language], monkeypatch)
    folder = write_new_bot(contest, tmp_path, "fresh", language)
    monkeypatch.setattr("tournament.trial.trial_legs.SESSIONS", 3)
    short = {"hands": 60, "servers": 1} if contest is TWO_CARD_DRAW else {"sessions": 3}
    settings = contest.settings.model_validate(short)
    report = check_bot(contest, settings, sandbox, folder, NullListener())
    assert report.fit, (report.problem, report.faults)


PHRASES = """\
from tournament.rules import Decision, Int, LegalAction, Rules, Text

SAY = Decision("say", "Say it", observation={"n": Int(0, 9)}, answer=LegalAction(Text(), 3, "a phrase"))


class Phrases(Rules):
    name = "phrases"
    seats = 2
    decisions = (SAY,)

    def play(self, session):
        yield [SAY(seat, n=1, legal_actions=['yes, "please]"', "no"]) for seat in range(2)]
        session.record([0, 0])
"""


@pytest.mark.parametrize("language", WRITTEN)
def test_program_that_new_writes_reads_texts_with_commas_and_brackets(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox = toolchain(WRITTEN[language], monkeypatch)
    contest = load_source(Source("phrases.py", PHRASES.encode(), None))
    folder = write_new_bot(contest, tmp_path, "fresh", language)
    assert "Say it: a phrase. Return one of the legal actions." in " ".join(
        path.read_text() for path in sorted(folder.iterdir())
    )
    report = check_bot(contest, contest.settings(sessions=3, max_faults=0), sandbox, folder, NullListener())
    assert report.fit, (report.problem, report.faults)


def test_page_names_every_language_that_new_writes() -> None:
    programs = {language for language in templates(VON_NEUMANN_POKER) if language.startswith("program-")}
    assert programs == {"program-python", *WRITTEN}
    assert all(f"--language {language}`" in PAGE and f"`{needed}`" in PAGE for language, needed in WRITTEN.items())
