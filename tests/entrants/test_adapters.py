"""An organiser's file that is executed before every Python bot's, for bots written for another interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.in_process import shown
from tournament.api import run

# Bots get all moves so far and a dictionary of their own.
BY_CALL = """
notes = {}
def move(bot):
    return decide(list(zip(bot.my_moves, bot.opponents_moves)), notes)
"""
# Bots are scripts that are executed in each turn: `last` is the opponent's move, `played` the answer.
BY_SCRIPT = """
def load_bot(code):
    space = {}
    def play(bot):
        space["last"] = "RPS"[bot.opponents_previous_move] if bot.turn else ""
        exec(code, space)
        return "RPS".index(space["played"])
    globals()["move"] = play
"""
ROCK = "def move(bot):\n    return 0\n"


@dataclass(frozen=True)
class ContestSetup:
    """A folder with a contest of ten turns of rock, paper, scissors."""

    folder: Path

    def write(self, adapter: str, **bots: str) -> None:
        bot_folder = self.folder / "entrants" / "rps"
        bot_folder.mkdir(parents=True, exist_ok=True)
        table = (
            '[rps]\nrules = "matrix_game"\nadapter = "ours/adapter.py"\nturns_per_game = 10\nsessions = 1\nseed = "a"\n'
        )
        (self.folder / "tournament.toml").write_text(table)
        (self.folder / "ours").mkdir(exist_ok=True)
        (self.folder / "ours" / "adapter.py").write_text(adapter)
        for name, source in bots.items():
            (bot_folder / f"{name}.py").write_text(source)

    def scores(self) -> dict[str, float]:
        results = run("rps", config=self.folder / "tournament.toml", executor="local")
        assert not len(results.faults)
        return dict(zip(results.standings.name, results.standings.score))

    def check(self, bot: str) -> str:
        path = self.folder / "entrants" / "rps" / f"{bot}.py"
        return shown("check", str(path), "--config", str(self.folder / "tournament.toml")).out


@pytest.fixture
def field(tmp_path: Path) -> ContestSetup:
    return ContestSetup(tmp_path)


@pytest.mark.parametrize(
    ("adapter", "paper"),
    [
        (BY_CALL, "def decide(turns, notes):\n    notes['asked'] = len(turns)\n    return 1\n"),
        (BY_SCRIPT, "if last == '':\n    asked = 0\nasked += 1\nplayed = 'P'\n"),
    ],
    ids=["function", "script"],
)
def test_adapter_of_another_interface_plays_its_bots(adapter: str, paper: str, field: ContestSetup) -> None:
    # A bot with functions of its own plays with these, unless the adapter has other uses for its file.
    field.write(adapter, paper=paper, rock=ROCK if adapter == BY_CALL else "played = 'R'\n")
    assert field.scores() == {"paper": 10.0, "rock": -10.0}


def test_adapter_that_changes_lets_matches_be_played_again(field: ContestSetup) -> None:
    field.write("def move(bot):\n    return first\n", one="first = 1\n", rock=ROCK)
    assert field.scores() == {"one": 10.0, "rock": -10.0}
    field.write("def move(bot):\n    return first + 1\n")
    assert field.scores() == {"one": -10.0, "rock": 10.0}


@pytest.mark.parametrize(
    ("adapter", "bot", "problem"),
    [
        (
            "def move(bot):\n    return 1 // 0\n",
            "",
            "ZeroDivisionError: integer division or modulo by zero (line 2 of the",
        ),
        ("def move(bot):\n    return go()\n", "def go():\n\n    return 1 // 0\n", "(line 3 in go)"),
        ("def move(:\n", "", "SyntaxError: invalid syntax (line 1 of the adapter)"),
        ("", "", "lacks the function move"),
    ],
    ids=["fault in adapter", "fault in bot", "syntax", "nothing"],
)
def test_fault_with_an_adapter_tells_whose_line_it_is(
    adapter: str, bot: str, problem: str, field: ContestSetup
) -> None:
    field.write(adapter, bot=bot)
    assert problem in " ".join(field.check("bot").split())


def test_adapter_that_can_not_be_used_is_named(field: ContestSetup) -> None:
    field.write(BY_CALL, rock=ROCK, other=ROCK)
    settings = field.folder / "tournament.toml"
    text = settings.read_text()
    for name, problem in (("ours/none.py", "no such file"), ("ours/adapter.c", "must be a Python file"), ("", "must")):
        settings.write_text(text.replace("ours/adapter.py", name))
        told = shown("run", "rps", "--config", str(settings))
        assert told.code == 2 and f"tournament.toml, line 3: adapter = '{name}': {problem}" in told.err
        settings.write_text(text)
