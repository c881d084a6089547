"""An organiser's file that is put before every bot's of a language, for bots written for another interface."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.in_process import run_cli
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
PLAYER = "struct Player : Base { char sign(int) override { return 'P'; } };\n"


@dataclass(frozen=True)
class ContestSetup:
    """A folder with a contest of ten turns of rock, paper, scissors."""

    folder: Path

    def write(self, adapter: str, suffix: str = ".py", adapter_name: str = "adapter.py", **bots: str) -> None:
        bot_folder = self.folder / "entrants" / "rps"
        bot_folder.mkdir(parents=True, exist_ok=True)
        table = '[rps]\nrules = "matrix_game"\nadapter = "ours/ADAPTER"\nturns_per_game = 10\n'
        table += 'sessions = 1\nseed = "a"\n'
        (self.folder / "tournament.toml").write_text(table.replace("ADAPTER", adapter_name))
        (self.folder / "ours").mkdir(exist_ok=True)
        (self.folder / "ours" / adapter_name).write_text(adapter)
        for name, source in bots.items():
            (bot_folder / f"{name}{suffix}").write_text(source)

    def scores(self) -> dict[str, float]:
        results = run("rps", config=self.folder / "tournament.toml", executor="local")
        assert not len(results.faults)
        return dict(zip(results.standings.name, results.standings.score))

    def check(self, bot: str) -> str:
        path = self.folder / "entrants" / "rps" / bot
        return run_cli("check", str(path), "--config", str(self.folder / "tournament.toml")).out


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
    field.write(adapter, paper=paper, rock=ROCK if adapter == BY_CALL else "played = 'R'\n")
    assert field.scores() == {"paper": 10.0, "rock": -10.0}


def test_adapter_precedes_functions_and_classes_of_bot(field: ContestSetup) -> None:
    adapter = "def move(bot):\n    return 'RPS'.index(globals()['move']({'turn': bot.turn})['sign'])\n"
    helper = (
        "class Helper:\n    def __init__(self, x):\n        self.x = x\n    def move(self, to):\n        return to\n"
    )
    paper = "def move(state):\n    return {'sign': 'P' if state['turn'] >= 0 else 'R'}\n"
    field.write(adapter, paper=helper + paper, rock="def move(state):\n    return {'sign': 'R'}\n")
    assert field.scores() == {"paper": 10.0, "rock": -10.0}


def test_base_class_of_adapter_is_no_bot(field: ContestSetup) -> None:
    adapter = (
        "class Base:\n    def move(self, bot):\n        return self.sign()\n    def sign(self):\n        return 0\n"
    )
    paper = "class Paper(Base):\n    def sign(self):\n        return 1\n"
    field.write(adapter, paper=paper, rock="class Rock(Base):\n    pass\n")
    assert field.scores() == {"paper": 10.0, "rock": -10.0}


@pytest.mark.parametrize(
    ("adapter", "name", "suffix", "paper"),
    [
        (IN_C, "rps.h", ".c", '#include "rps.h"\nenum sign throw_sign(int round, int last) { return P; }\n'),
        (IN_C, "rps.h", ".cpp", "enum sign throw_sign(int round, int last) { return P; }\n"),
        (IN_C, "adapter.c", ".c", "enum sign throw_sign(int n, int l) { return n || l >= 0 ? P : P; }\n"),
        (IN_CPP, "adapter.cpp", ".cpp", PLAYER),
    ],
    ids=["included header", "header in C++", "named as ours", "class"],
)
def test_c_adapter_is_compiled_with_its_bots(
    adapter: str, name: str, suffix: str, paper: str, field: ContestSetup
) -> None:
    field.write(adapter, suffix, name, paper=paper, rock="int move(const Bot *bot) { return 0; }\n")
    assert field.scores() == {"paper": 10.0, "rock": -10.0}
    assert "fit to enter" in field.check(f"paper{suffix}")


def test_wrong_c_adapter_is_named_with_its_line(field: ContestSetup) -> None:
    field.write("int move(const Bot *bot) { return bot->none; }\n", ".c", "rps.c", bot="int f(void) { return 0; }\n")
    assert "adapter/rps.c:1" in field.check("bot.c")


def test_adapters_of_two_languages_work_together(field: ContestSetup) -> None:
    field.write(IN_C, ".c", "rps.h", paper="enum sign throw_sign(int n, int l) { return P; }\n")
    field.write(BY_CALL, rock="def decide(turns, notes):\n    return 0\n")
    settings = field.folder / "tournament.toml"
    text = settings.read_text()
    settings.write_text(text.replace('"ours/adapter.py"', '["ours/rps.h", "ours/adapter.py"]'))
    assert field.scores() == {"paper": 10.0, "rock": -10.0}
    settings.write_text(text.replace('"ours/adapter.py"', '["ours/adapter.py", "ours/adapter.py"]'))
    told = run_cli("run", "rps", "--config", str(settings))
    assert told.code == 2 and "a second one for the same language" in told.err


def test_changed_adapter_replays_matches(field: ContestSetup) -> None:
    field.write("def move(bot):\n    return first\n", one="first = 1\n", rock="first = 0\n")
    assert field.scores() == {"one": 10.0, "rock": -10.0}
    field.write("def move(bot):\n    return 1 - first\n")
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
def test_fault_names_line_of_bot_or_adapter(adapter: str, bot: str, problem: str, field: ContestSetup) -> None:
    field.write(adapter, bot=bot)
    assert problem in " ".join(field.check("bot.py").split())


def test_unusable_adapter_is_named_with_its_line(field: ContestSetup) -> None:
    field.write(BY_CALL, rock=ROCK, other=ROCK)
    settings = field.folder / "tournament.toml"
    text = settings.read_text()
    for name, problem in (("ours/none.py", "no such file"), ("ours/adapter.sh", "expected"), ("", "expected")):
        settings.write_text(text.replace("ours/adapter.py", name))
        told = run_cli("run", "rps", "--config", str(settings))
        assert told.code == 2 and f"tournament.toml, line 3: adapter = '{name}': {problem}" in told.err
        settings.write_text(text)
