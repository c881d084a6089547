"""The bots of the page on languages, and those that `tournament new` writes, are fit where their languages are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.built_in import VON_NEUMANN_POKER
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
# Its texts have commas and brackets.
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


def toolchain(command: str, monkeypatch: pytest.MonkeyPatch) -> SandboxSettings:
    """Return the sandbox in which a command is found, or skip the test."""
    if shutil.which(command, path="/usr/local/bin:/usr/bin:/bin"):
        return SandboxSettings()
    if command != "rustc" or not shutil.which(command):
        pytest.skip(f"{command} is not installed")
    # rustup keeps it in a home, of which bots see nothing, and needs to be set up there.
    place = subprocess.run([command, "--print", "sysroot"], capture_output=True, text=True).stdout.strip()
    if not place:
        pytest.skip(f"{command} is not set up")
    monkeypatch.setenv("PATH", f"{place}/bin:{os.environ['PATH']}")
    return SandboxSettings(readable_paths=[place])


def assert_fit(contest: Contest, sandbox: SandboxSettings, bot: Path) -> None:
    report = check_bot(contest, contest.settings(sessions=3, max_faults=0), sandbox, bot, NullListener())
    assert report.fit, (report.problem, report.faults)


def test_page_names_every_language() -> None:
    programs = {language for language in templates(VON_NEUMANN_POKER) if language.startswith("program-")}
    assert programs == {"program-python", *WRITTEN} and FILES.keys() == NEEDED.keys()
    assert all(f"--language {language}`" in PAGE and f"`{needed}`" in PAGE for language, needed in WRITTEN.items())


@pytest.mark.parametrize("language", NEEDED)
def test_bot_of_page_is_fit(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = toolchain(NEEDED[language], monkeypatch)
    for name, content in re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", FILES[language], re.DOTALL):
        (tmp_path / name).write_text(content)
    assert_fit(VON_NEUMANN_POKER, sandbox, tmp_path)


@pytest.mark.parametrize("language", WRITTEN)
def test_program_that_new_writes_is_fit(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = toolchain(WRITTEN[language], monkeypatch)
    for contest in (VON_NEUMANN_POKER, load_source(Source("phrases.py", PHRASES.encode(), None))):
        assert_fit(contest, sandbox, write_new_bot(contest, tmp_path, f"fresh_{contest.name}", language))
