"""Games in words: what a bot was asked, what it answered, and what a recorded game was."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

# A recorded game by column, what a question tells by name, and the names of the bots at x and y.
Row = Mapping[str, Any]
Values = Mapping[str, float]
Names = tuple[str, str]


@dataclass(frozen=True)
class Action:
    """What somebody did in a game. `who` is "" for what happened to all, such as cards that were turned up."""

    who: str
    what: str


@dataclass(frozen=True)
class ToldGame:
    """A recorded game in words: who held which cards, who did what in order, and what came of it."""

    cards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: tuple[Action, ...] = ()
    outcome: str = ""


@dataclass(frozen=True)
class Telling:
    """How the games of a contest are told, each in a few words.

    `question` takes its name and what it tells; `answer` these and what was answered.
    """

    question: Callable[[str, Values], str]
    answer: Callable[[str, Values, int], str]
    game: Callable[[Row, Names], ToldGame]


def in_row(values: Mapping[str, Any]) -> str:
    """Values by name in one line, for what has no better words."""
    return ", ".join(f"{name} {_short(value)}" for name, value in values.items())


def plain_game(row: Row, _names: Names) -> ToldGame:
    """A game of a contest that doesn't say how its games are told."""
    return ToldGame(outcome=in_row({name: row[name] for name in row if name not in ("match", "session", "game")}))


def amount(number: float, sign: str = "") -> str:
    """Money with its sign before the `sign` of its currency."""
    return f"{'-' if number < 0 else ''}{sign}{abs(number):,.0f}"


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
