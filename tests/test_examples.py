"""Bots to start from and bots to read: all pass the check, and those to start from play the same in every language."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import poker_settings
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.entrants.folder import kind_of
from tournament.entrants.new import templates, write_new_bot
from tournament.errors import BadInput
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import CheckReport, check_bot

SHIPPED = Path(__file__).resolve().parent.parent / "entrants" / "von_neumann_poker"
LANGUAGES = list(templates(VON_NEUMANN_POKER))


class Silent:
    """Watches a check and says nothing."""

    def say(self, text: str) -> None: ...
    def on_progress(self, progress: object) -> None: ...


def report_of(path: Path) -> CheckReport:
    return check_bot(VON_NEUMANN_POKER, poker_settings(sessions=60, seed=1), SandboxSettings(), path, Silent())


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckReport]:
    """The checks of a new bot in each language."""
    folder = tmp_path_factory.mktemp("new")
    return {
        language: report_of(write_new_bot(VON_NEUMANN_POKER, folder, f"fresh_{language}", language))
        for language in LANGUAGES
    }


def test_there_is_one_in_each_language() -> None:
    assert set(LANGUAGES) == {"c", "cpp", "python", "program-c", "program-python"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bots_pass_the_check(reports: dict[str, CheckReport], language: str) -> None:
    report = reports[language]
    assert report.problem is None and report.fit and report.repeats
    assert report.name == f"fresh_{language}"
    assert report.leg and report.leg.sessions == 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bots_play_the_same_in_every_language(reports: dict[str, CheckReport], language: str) -> None:
    played, in_c = reports[language], reports["c"]
    assert played.leg and in_c.leg
    assert played.leg.games == in_c.leg.games
    assert played.points_per_session == in_c.points_per_session


def test_new_bots_carry_their_names(tmp_path: Path) -> None:
    for language in LANGUAGES:
        path = write_new_bot(VON_NEUMANN_POKER, tmp_path, f"wren_{language}", language)
        files = list(path.iterdir()) if path.is_dir() else [path]
        texts = [file.read_text() for file in files]
        assert all(f"wren_{language}: " in text and "{name}" not in text for text in texts)


def test_executable_templates_give_executable_files(tmp_path: Path) -> None:
    sdk = tmp_path / "sdk"
    shutil.copytree(VON_NEUMANN_POKER.interface.sdk, sdk)
    (sdk / "new_program_python" / "bot.py").chmod(0o755)
    contest = replace(VON_NEUMANN_POKER, interface=replace(VON_NEUMANN_POKER.interface, sdk=sdk))
    path = write_new_bot(contest, tmp_path / "bots", "runner", "program-python")
    assert (path / "bot.py").stat().st_mode & 0o111
    assert not (path / "bot.toml").stat().st_mode & 0o111


@pytest.mark.parametrize("language", LANGUAGES)
def test_new_bots_are_not_written_over_others(tmp_path: Path, language: str) -> None:
    write_new_bot(VON_NEUMANN_POKER, tmp_path, "taken", language)
    for other in LANGUAGES:
        with pytest.raises(BadInput, match="is there already"):
            write_new_bot(VON_NEUMANN_POKER, tmp_path, "taken", other)


# The others are in C and C++, and play in the tests of the engine.
@pytest.mark.parametrize("path", [p for p in sorted(SHIPPED.iterdir()) if kind_of(p) in ("python", "program")])
def test_shipped_bots_pass_the_check(path: Path) -> None:
    report = report_of(path)
    assert report.problem is None and report.fit and report.repeats
