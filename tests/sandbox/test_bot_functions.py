"""Choice of the functions of a Python file that answer questions."""

from __future__ import annotations

import types

import pytest

from tournament.sandbox.inside.bot_functions import choose_functions
from tournament.sandbox.inside.function_names import NotChosen

MOVE: list[tuple[tuple[str, ...], int]] = [(("move",), 1)]


def chosen(source: str, stem: str = "zebra", questions: list[tuple[tuple[str, ...], int]] = MOVE) -> list[object]:
    """Return the answers of the chosen functions."""
    module = types.ModuleType(f"bot.{stem}")
    exec(source, module.__dict__)
    functions = choose_functions(module, stem, questions, "TwoCardDraw")
    return [function(*range(count)) for function, (_, count) in zip(functions, questions)]


HELPERS = {
    "joined": "def zebramove(x): return 2",
    "with a line": "def zebra_move(x): return 2",
    "with a capital": "def zebraMove(x): return 2",
    "of another class": "class Board:\n  def move(self, square): return 2",
    "two of them": "def zebra_move(x): return 2\nclass Board:\n  def move(self, square): return 2",
    "of too many values": "class Zebra:\n  def move(self, x, y): return 2",
}


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS)
def test_exact_name_precedes_helpers(helper: str) -> None:
    move = "def move(bot): return 1"
    assert chosen(f"{move}\n{helper}") == chosen(f"{helper}\n{move}") == [1]


@pytest.mark.parametrize("name", ["Zebra", "Bot", "TwoCardDraw"])
def test_class_of_exact_name_precedes_helpers(name: str) -> None:
    bot = f"class {name}:\n  def move(self, bot): return 1\n"
    for helper in ("with a line", "joined", "of another class"):
        assert chosen(bot + HELPERS[helper]) == [1]
    with pytest.raises(NotChosen, match=rf"the function move \(line 3\) and the class {name}: either may be meant"):
        chosen(f"{bot}def move(bot): return 2")
    assert chosen(f"{bot}def move(state, depth): return 2") == [1]


def test_other_spelling_needs_a_fitting_signature() -> None:
    assert chosen("def zebra_move(bot): return 1\ndef zebramove(x, y): return 2") == [1]
    assert chosen("def zebra_move(bot, depth=3): return 1") == [1]
    assert chosen("def zebraMove(*told): return 1") == [1]
    assert chosen("def zebra_move(bot): return 1\nzebramove = zebra_move") == [1]
    two = "def zebra_move(bot): return 1\ndef zebramove(x): return 2"
    with pytest.raises(NotChosen, match=r"the function zebra_move \(line 1\) and the function zebramove \(line 2\)"):
        chosen(two)
    with pytest.raises(NotChosen, match=r"the function zebra_move .* and the class Board"):
        chosen(f"def zebra_move(bot): return 1\n{HELPERS['of another class']}")


def test_each_question_has_its_function() -> None:
    both: list[tuple[tuple[str, ...], int]] = [(("a",), 1), (("b",), 2)]
    assert chosen("def a(bot): return 1\ndef zebra_b(bot, bet): return 2", questions=both) == [1, 2]
    whole = "def a(bot): return 3\nclass Any:\n  def a(self, bot): return 1\n  def b(self, bot, bet): return 2"
    assert chosen(whole, questions=both) == [1, 2]
    spelled: list[tuple[tuple[str, ...], int]] = [(("make_decision", "makeDecision"), 1)]
    assert chosen("def makeDecision(state): return 5", questions=spelled) == [5]
    twice = "class Bot:\n  def make_decision(self, state): return 1\n  def makeDecision(self, state): return 2"
    with pytest.raises(NotChosen, match=r"has Bot\.make_decision and Bot\.makeDecision: either may be meant"):
        chosen(twice, questions=spelled)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def move(): return 1", r"the function move \(line 1\) can't be called with 1 value, which it is given"),
        ("def move(bot, *, depth): return 1", "can't be called with 1 value"),
        ("class Bot:\n  def move(self): return 1", "Bot.move can't be called with 1 value beside its object"),
        ("def zebra(bot): return 1", "lacks the function move, or a class with the method move$"),
    ],
)
def test_missing_function_is_named(source: str, words: str) -> None:
    with pytest.raises(NotChosen, match=words):
        chosen(source)
