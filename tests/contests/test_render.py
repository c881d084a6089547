"""Drawings of rules: they know the bots' names, and a broken one costs a line, no game and no page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands import run_cli
from tests.contests.test_one_door import contest_folder
from tournament import replay
from tournament.cli.replay_tables import short_lists
from tournament.contests import rules_loader

RULES = """
from tournament.rules import Decision, Int, Rules


GUESS = Decision("guess", "Guess", observation={{"round": Int(0, 2, "")}}, answer=Int(0, 9, ""))


class Guesses(Rules):
    name = "guesses"
    seats = {seats}
    decisions = (GUESS,)

    def play(self, session):
        assert not self.bot_names  # games don't depend on names
        self.said = []
        for number in range(3):
            for seat in range(session.seats):
                self.said.append((yield GUESS(seat, round=number)))
        session.record([self.said[0], -self.said[0]] + [0] * (session.seats - 2))

    def render(self):
        {render}
"""
BOTS = {"ann": 3, "bob": 4, "eve": 5}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder: Path, render: str, seats: str = "2", settings: str = "sessions = 1") -> None:
    bots = contest_folder(folder, "guesses", RULES.format(render=render, seats=seats), settings)
    for name, guess in BOTS.items():
        (bots / f"{name}.c").write_text(f"int guess(const View *view) {{ return {guess}; }}\n")
    rules_loader.forget()


def test_drawing_has_bot_names_by_position(folder: Path) -> None:
    write(folder, 'return f"{self.bot_names[len(self.said) % session_seats(self)]}: {self.said}"', "range(3, 7)")
    source = folder / "guesses.py"
    source.write_text(source.read_text() + "\n\ndef session_seats(rules):\n    return len(rules.bot_names)\n")
    assert "render failed" not in run_cli("run", "guesses", "--executor", "local").err
    found = replay("guesses", match=tuple(BOTS), session=0)
    assert {name: BOTS[name] for name in found.seats} == BOTS
    (game,) = found.games
    assert game.row
    at = [game.row[f"bot_{position}"] for position in range(3)]
    assert [step.bot for step in game.steps] == at * 3
    assert [drawing.partition(":")[0] for drawing in found.drawings] == [*at * 3, at[0]]


@pytest.mark.parametrize(
    ("render", "why"),
    [
        ("return self.nothing", "AttributeError: 'Guesses' object has no attribute 'nothing'"),
        ("return 7", "it returns 7, which is no text"),
        ("return '<svg><g></svg>'", "ParseError: mismatched tag: line 1, column 10"),
        ("raise ValueError('x' * 9999)", "ValueError: xxx"),
    ],
)
def test_broken_drawing_is_reported_by_run_and_report(folder: Path, render: str, why: str) -> None:
    write(folder, render)
    for words in (("run", "guesses", "--executor", "local"), ("report", "guesses")):
        told = run_cli(*words)
        said = " ".join(told.err.split())
        assert told.code == 0 and said.count("render failed:") == 1 and f"render failed: {why}" in said
        assert "Traceback" not in said and len(said) < 2000
    page = (folder / "report.html").read_text()
    assert "render failed" in page and "ann" in page


def test_replay_prints_drawings_of_text_and_otherwise_questions(folder: Path) -> None:
    write(folder, "return f'after {len(self.said)}\\nhere'")
    assert not run_cli("run", "guesses", "--executor", "local").code
    shown = run_cli("replay", "guesses", "--match", "0", "--session", "0").out.splitlines()
    assert shown[0].startswith("as recorded")
    assert [line for line in shown if "after" in line] == [f"  after {count}" for count in range(7)]
    assert not any("round: " in line for line in shown)
    source = folder / "guesses.py"
    source.write_text(source.read_text().replace("f'after {len(self.said)}\\nhere'", "'<svg></svg>'"))
    rules_loader.forget()
    assert not run_cli("run", "guesses", "--executor", "local").code
    text = run_cli("replay", "guesses", "--match", "0", "--session", "0").out
    assert "<svg" not in text and "round" in text


def test_long_list_is_shown_by_its_ends() -> None:
    numbers = list(range(1, 90, 2))
    assert short_lists(f"cards: {numbers[:13]}") == f"cards: {numbers[:13]}"
    assert short_lists(f"cards: {numbers}, pot: 3") == (
        "cards: [1, 3, 5, 7, 9, 11, … 33 more …, 79, 81, 83, 85, 87, 89], pot: 3"
    )
