"""Choice of the functions of a Python file that answer questions."""

from __future__ import annotations

import types

import pytest

from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import NotChosen

Questions = list[tuple[tuple[str, ...], int]]
MOVE: Questions = [(("move",), 1)]
BOTH: Questions = [(("a",), 1), (("b",), 2)]
SPELLED: Questions = [(("make_decision", "makeDecision"), 1)]


def chosen(source: str, questions: Questions = MOVE) -> list[object]:
    """Return the answers of the functions that are chosen in a file zebra.py."""
    module = types.ModuleType("bot.zebra")
    exec(source, module.__dict__)
    functions = choose_functions(module, "zebra", questions, "TwoCardDraw")
    return [function(*range(count)) for function, (_, count) in zip(functions, questions)]


BOARD = "class Board:\n  def move(self, square): return 2"
HELPERS = [
    "def zebramove(x): return 2",
    f"def zebra_move(x): return 2\n{BOARD}",
    "class Zebra:\n  def move(self, x, y): return 2",
]


@pytest.mark.parametrize("helper", HELPERS)
def test_exact_name_precedes_helpers(helper: str) -> None:
    move = "def move(bot): return 1"
    assert chosen(f"{move}\n{helper}") == chosen(f"{helper}\n{move}") == [1]
    for name in ("Bot", "TwoCardDraw"):
        assert chosen(f"class {name}:\n  def move(self, bot): return 1\n{helper}") == [1]


@pytest.mark.parametrize(
    ("source", "questions", "answers"),
    [
        ("class Zebra:\n  def move(self, bot): return 1\ndef move(state, depth): return 2", MOVE, [1]),
        ("def zebra_move(bot, depth=3): return 1", MOVE, [1]),
        ("def zebraMove(*told): return 1", MOVE, [1]),
        ("def zebra_move(bot): return 1\nzebramove = zebra_move", MOVE, [1]),
        ("def a(bot): return 1\ndef zebra_b(bot, bet): return 2", BOTH, [1, 2]),
        ("def a(bot): return 3\nclass K:\n  def a(s, bot): return 1\n  def b(s, bot, bet): return 2", BOTH, [1, 2]),
        ("def makeDecision(state): return 5", SPELLED, [5]),
    ],
)
def test_function_that_fits_answers(source: str, questions: Questions, answers: list[object]) -> None:
    assert chosen(source, questions) == answers


TWO = "def zebra_move(bot): return 1\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("class Bot:\n  def move(s, bot): return 1\ndef move(bot): return 2", r"move \(line 3\) and the class Bot: ei"),
        (f"{TWO}def zebramove(x): return 2", r"the function zebra_move \(line 1\) and the function zebramove \(line 2"),
        (f"{TWO}{BOARD}", "the function zebra_move .* and the class Board"),
        ("def move(): return 1", r"the function move \(line 1\) can't be called with 1 value, which it is given"),
        ("class Bot:\n  def move(self): return 1", "Bot.move can't be called with 1 value beside its object"),
        ("def zebra(bot): return 1", "lacks the function move, or a class with the method move$"),
    ],
)
def test_unclear_or_missing_function_is_named(source: str, words: str) -> None:
    with pytest.raises(NotChosen, match=words):
        chosen(source)
