"""Drawings of rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.contests.test_one_door import contest_folder
from tournament.contests import rules_loader
from tournament.records.results import load

RULES = """
from tournament.rules import Decision, Int, Rules


GUESS = Decision("guess", "Guess", observation={{"round": Int(0, 2, "")}}, answer=Int(0, 9, ""))


class Guesses(Rules):
    name = "guesses"
    seats = 2
    decisions = (GUESS,)

    def play(self, session):
        assert not self.bot_names  # games don't depend on names
        self.said = []
        for number in range(3):
            for seat in range(2):
                self.said.append((yield GUESS(seat, round=number)))
        session.record([self.said[0], -self.said[0]])

    def render(self):
        {render}
"""
BOTS = {"ann": 3, "bob": 4}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, render: str) -> None:
    bots = contest_folder(folder, "guesses", RULES.format(render=render), "sessions = 1")
    for name, guess in BOTS.items():
        (bots / f"{name}.c").write_text(f"int guess(const View *view) {{ return {guess}; }}\n")
    rules_loader.forget()


@pytest.mark.parametrize(
    ("render", "why"),
    [
        ("return self.nothing", "AttributeError: 'Guesses' object has no attribute 'nothing'"),
        ("return '<svg><g></svg>'", "ParseError: mismatched tag: line 1, column 10"),
    ],
)
def test_broken_drawing_is_reported_by_run_and_report(folder: Path, render: str, why: str) -> None:
    write(folder, render)
    for words in (("run", "guesses", "--executor", "local"), ("report", "guesses")):
        told = run_cli(*words)
        said = " ".join(told.err.split())
        assert told.code == 0 and said.count("render failed:") == 1 and f"render failed: {why}" in said
    page = (folder / "report.html").read_text()
    assert "render failed" in page and "ann" in page


def test_replay_prints_drawings_of_text_and_otherwise_questions(folder: Path) -> None:
    write(folder, "return f'after {len(self.said)} {self.bot_names[len(self.said) % 2]}\\nhere'")
    assert not run_cli("run", "guesses", "--executor", "local").code
    shown = run_cli("replay", "guesses", "--match", "0", "--session", "0").out.splitlines()
    assert shown[0].startswith("as recorded")
    games = load("results/guesses").games
    names = [games[f"bot_{position}"].iloc[0] for position in range(2)]
    assert [line for line in shown if "after" in line] == [f"  after {count} {names[count % 2]}" for count in range(7)]
    assert not any("round: " in line for line in shown)
    source = folder / "guesses.py"
    source.write_text(re.sub("f'after.*here'", "'<svg></svg>'", source.read_text()))
    rules_loader.forget()
    assert not run_cli("run", "guesses", "--executor", "local").code
    text = run_cli("replay", "guesses", "--match", "0", "--session", "0").out
    assert "<svg" not in text and "round" in text
