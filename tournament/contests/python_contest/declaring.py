"""How rules in Python declare their decisions: what each tells a bot, and what it may answer."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.rules import decisions
from engine.rules.decisions import LEGAL_ACTIONS

_SHORT = range(-(2**31), 2**31)
_LONGEST_LIST_OF_TEXTS = 1 << 20
# Names that a value can't have: it is also a member of a C struct, and of a JSON object.
_TAKEN = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    bool true false alignas alignof asm new delete this class template operator private public protected virtual
    f field_names question
    """.split()  # noqa: SIM905  # read as words
)


@dataclass(frozen=True)
class Told:
    """A value that a decision tells: what it means, its kind as `engine.rules.decisions` has it, and its limits.

    `most`: the most items of a list (-1: it is a single value).
    """

    meaning: str
    code: str
    low: int = 0
    high: int = 0
    most: int = -1

    @property
    def limits(self) -> str:
        """Its limits in words."""
        kinds = {"s": "text", "d": "number"}
        if self.most < 0:
            return f"a {kinds[self.code]}" if self.code in kinds else f"{self.low} to {self.high}"
        items = f"{kinds[self.code]}s" if self.code in kinds else f"numbers from {self.low} to {self.high}"
        return f"a list of {items}" if self.code == "s" else f"at most {self.most} {items}"


def whole(low: int, high: int, meaning: str) -> Told:
    """A whole number from `low` to `high`. Raises ValueError for limits the wrong way round, as others do."""
    return Told(meaning, _code(low, high, "whole(low, high, meaning)"), low, high)


def wholes(low: int, high: int, most: int, meaning: str) -> Told:
    """A list of whole numbers from `low` to `high`, at most so many."""
    return Told(meaning, _code(low, high, "wholes(low, high, most, meaning)"), low, high, _length(most))


def fraction(meaning: str) -> Told:
    """A number that need not be whole."""
    return Told(meaning, "d")


def fractions(most: int, meaning: str) -> Told:
    """A list of at most so many numbers."""
    return Told(meaning, "d", most=_length(most))


def text(meaning: str) -> Told:
    """A text, for Python bots and programs; C bots don't get it."""
    return Told(meaning, "s")


def texts(meaning: str) -> Told:
    """A list of texts, for Python bots and programs."""
    return Told(meaning, "s", most=_LONGEST_LIST_OF_TEXTS)


def _code(low: int, high: int, call: str) -> str:
    if low > high:
        raise ValueError(f"the lowest number, {low}, is above the highest, {high}: {call}")
    return "i" if low in _SHORT and high in _SHORT else "q"


def _length(most: int) -> int:
    if most < 0:
        raise ValueError(f"a list can't have at most {most} items")
    return most


class Decision(decisions.Decision):
    """A decision that bots make in a function, or a method, of this name.

    `tells` are the values that they are told, `answer` the whole number that they answer. `play` yields a decision
    called with a seat and the values. The answer must be within its limits, or one of the values called legal_actions
    where there are such. Anything else is a fault: `default` is played, or the first of the legal actions.
    Raises ValueError for names that can't be used in a bot.
    """

    def __init__(
        self, name: str, meaning: str, *, tells: Mapping[str, Told], answer: Told, default: int | None = None
    ) -> None:
        for called in (name, *tells):
            if not re.fullmatch("[a-z][a-z0-9_]{0,40}", called) or keyword.iskeyword(called) or called in _TAKEN:
                raise ValueError(f"{called} can't name a value or a decision: bots are to use it in C and Python")
        super().__init__(
            name,
            [(value, told.code, told.low, told.high, told.most) for value, told in tells.items()],
            low=answer.low,
            high=answer.high,
            default=answer.low if default is None else default,
        )
        self.meaning = meaning
        self.told = dict(tells)
        self.answer = answer

    @property
    def has_legal_actions(self) -> bool:
        """Whether it tells which answers are legal this time, the others being faults."""
        return LEGAL_ACTIONS in self.told
