"""An organiser's file that is put before every bot's of a language, for bots written for another interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import command
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
ROCK = "def decide(turns, notes):\n    return 0\n"
# Bots in C are a function of the turn; the adapter is the header that they include, too.
IN_C = """
#ifndef RPS_H
#define RPS_H
enum sign { R, P, S };
enum sign throw_sign(int round, int last);
int move(const Bot *bot) { return throw_sign(bot->turn, bot->opponents_previous_move); }
#endif
"""
# Bots in C++ are classes of an interface of their own, each called Player.
IN_CPP = """
struct Base { virtual ~Base() {} virtual char sign(int round) = 0; };
struct Player;
template <class T> int answer(int turn) { static T player; return player.sign(turn) == 'P'; }
int move(const Bot *bot) { return answer<Player>(bot->turn); }
"""
PAPER_IN_C = "enum sign throw_sign(int n, int l) { return n || l >= 0 ? P : P; }\n"
PLAYER = "struct Player : Base { char sign(int) override { return 'P'; } };\n"
ROCK_IN_C = "int move(const Bot *bot) { return 0; }\n"


@dataclass(frozen=True)
class ContestSetup:
    """A folder with a contest of ten turns of rock, paper, scissors."""

    folder: Path

    def write(self, adapter: str, suffix: str = ".py", adapter_name: str = "adapter.py", **bots: str) -> None:
        table = f'[rps]\nrules = "matrix_game"\nadapter = "ours/{adapter_name}"\nturns_per_game = 10\nsessions = 1\n'
        files = {"tournament.toml": table, f"ours/{adapter_name}": adapter}
        files |= {f"entrants/rps/{name}{suffix}": source for name, source in bots.items()}
        for name, text in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(text)

    def scores(self) -> dict[str, float]:
        results = run("rps", config=self.folder / "tournament.toml", executor="local")
        assert not len(results.faults)
        return dict(zip(results.standings.name, results.standings.score))

    def check(self, bot: str) -> str:
        return command(self.folder, "check", f"entrants/rps/{bot}").out


@pytest.fixture
def field(tmp_path: Path) -> ContestSetup:
    return ContestSetup(tmp_path)


# The adapter calls the bot's function of the name that the bot must have; a helper's class has a method of that name.
BY_NAME = "def move(bot):\n    return 'RPS'.index(globals()['move']({'turn': bot.turn})['sign'])\n"
HELPER = "class Helper:\n    def __init__(self, x):\n        self.x = x\n    def move(self, to):\n        return to\n"
BY_BASE = "class Base:\n    def move(self, bot):\n        return self.sign()\n    def sign(self):\n        return 0\n"
# By name: the adapter with its file, and two bots, one of which plays paper.
FORMS = {
    "function": (BY_CALL, "adapter.py", "def decide(turns, notes):\n    notes['n'] = len(turns)\n    return 1\n", ROCK),
    "script": (BY_SCRIPT, "adapter.py", "if last == '':\n    n = 0\nn += 1\nplayed = 'P'\n", "played = 'R'\n"),
    "own name": (
        BY_NAME,
        "adapter.py",
        HELPER + "def move(state):\n    return {'sign': 'P' if state['turn'] >= 0 else 'R'}\n",
        "def move(state):\n    return {'sign': 'R'}\n",
    ),
    "base class": (
        BY_BASE,
        "adapter.py",
        "class Paper(Base):\n    def sign(self):\n        return 1\n",
        "class Rock(Base):\n    pass\n",
    ),
    "included header": (IN_C, "rps.h", f'#include "rps.h"\n{PAPER_IN_C}', ROCK_IN_C),
    "class in C++": (IN_CPP, "adapter.cpp", PLAYER, ROCK_IN_C),
}


@pytest.mark.parametrize("form", FORMS)
def test_adapter_of_another_interface_plays_its_bots(form: str, field: ContestSetup) -> None:
    adapter, name, paper, rock = FORMS[form]
    suffix = Path(name).suffix.replace(".h", ".c")
    field.write(adapter, suffix, name, paper=paper, rock=rock)
    assert field.scores() == {"paper": 10.0, "rock": -10.0}
    assert "fit to enter" in field.check(f"paper{suffix}")


def test_adapters_of_two_languages_work_together(field: ContestSetup) -> None:
    field.write(IN_C, ".c", "rps.h", paper=PAPER_IN_C)
    field.write(BY_CALL, rock=ROCK)
    settings = field.folder / "tournament.toml"
    settings.write_text(settings.read_text().replace('"ours/adapter.py"', '["ours/rps.h", "ours/adapter.py"]'))
    assert field.scores() == {"paper": 10.0, "rock": -10.0}


def test_changed_adapter_replays_matches(field: ContestSetup) -> None:
    field.write("def move(bot):\n    return first\n", one="first = 1\n", rock="first = 0\n")
    assert field.scores() == {"one": 10.0, "rock": -10.0}
    field.write("def move(bot):\n    return 1 - first\n")
    assert field.scores() == {"one": -10.0, "rock": 10.0}


@pytest.mark.parametrize(
    ("adapter", "bot", "problem"),
    [
        ("def move(bot):\n    return 1 // 0\n", "", "ZeroDivisionError: integer division or modulo by zero (line 2 of"),
        ("def move(bot):\n    return go()\n", "def go():\n\n    return 1 // 0\n", "(line 3 in go)"),
        ("", "", "lacks the function move"),
    ],
)
def test_fault_names_line_of_bot_or_adapter(adapter: str, bot: str, problem: str, field: ContestSetup) -> None:
    field.write(adapter, bot=bot)
    assert problem in " ".join(field.check("bot.py").split())


def test_wrong_c_adapter_is_named_with_its_line(field: ContestSetup) -> None:
    field.write("int move(const Bot *bot) { return bot->none; }\n", ".c", "rps.c", bot="int f(void) { return 0; }\n")
    assert "adapter/rps.c:1" in field.check("bot.c")
