"""Bots to start from and bots to read: all pass the check, and those to start from play the same in every language."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.entrants.folder import detect_kind
from tournament.entrants.new import templates, write_new_bot
from tournament.runner.listener import NullListener
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import CheckReport, check_bot

SHIPPED = Path(__file__).resolve().parent.parent / "entrants" / "von_neumann_poker"
SHORT: dict[str, dict[str, Any]] = {
    "von_neumann_poker": {"sessions": 60},
    "two_card_draw": {"hands": 60, "servers": 1},
    "holdem_training": {"hands": 60, "sessions": 1},
    "matrix_game": {"turns_per_game": 50, "sessions": 10},
}


def report_of(contest: Contest, path: Path) -> CheckReport:
    settings = contest.settings.model_validate({"seed": "1", **SHORT[contest.name]})
    return check_bot(contest, settings, SandboxSettings(), path, NullListener())


@pytest.mark.parametrize("name", SHORT)
def test_new_bots_play_the_same_in_every_language(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Versions meet the same deals and one opponent."""
    monkeypatch.setattr("tournament.trial.trial_legs._house_kind", lambda kind: "c")
    contest = find_contest(name)
    played = set()
    for language in ("c", "cpp", "python", "program-python"):  # the others: tests/docs/test_languages.py
        if language not in templates(contest):
            continue
        path = write_new_bot(contest, tmp_path, f"fresh_{language}", language)
        texts = [file.read_text() for file in (path.iterdir() if path.is_dir() else [path])]
        assert all(f"fresh_{language}: " in text and "{name}" not in text for text in texts)
        for kind in (RoundRobin, AgainstHouse):
            paired = partial(kind, paired=f"fresh_{language}")
            monkeypatch.setattr(f"tournament.trial.trial_legs.{kind.__name__}", paired)
        report = report_of(contest, path)
        assert report.problem is None and report.fit and report.repeats, (language, report.problem, report.faults)
        assert report.name == f"fresh_{language}" and report.leg
        if language != "program-python" or name == "holdem_training":  # written from the decisions alone
            played.add((report.leg.games, report.points_per_session))
    assert len(played) == 1 or name == "holdem_training"  # Each samples by its own randomness there.


# The others are in C and C++, and play in the tests of the engine.
@pytest.mark.parametrize("path", [p for p in sorted(SHIPPED.iterdir()) if detect_kind(p) in ("python", "program")])
def test_shipped_bots_pass_the_check(path: Path) -> None:
    report = report_of(VON_NEUMANN_POKER, path)
    assert report.problem is None and report.fit and report.repeats


def test_new_program_omits_compiled_modules_of_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip compiles the modules of a package, and so its templates."""
    template = tmp_path / "new_program_python"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(templates(VON_NEUMANN_POKER)["program-python"], template, ignore=ignored)
    (template / "__pycache__").mkdir()
    monkeypatch.setattr("tournament.entrants.new.templates", lambda contest: {"program-python": template})
    path = write_new_bot(VON_NEUMANN_POKER, tmp_path / "bots", "fresh", "program-python")
    assert sorted(file.name for file in path.iterdir()) == ["bot.py", "bot.toml"]
