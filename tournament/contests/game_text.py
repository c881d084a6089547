"""Recorded games as text."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tournament.contests.presentation import Scene
from tournament.store.columns import NAME, Column

Row = Mapping[str, Any]  # a recorded game by column


@dataclass(frozen=True)
class GameText:
    """A recorded game as text.

    Attributes:
        cards: Cards by holder, of which "board" is one.
        actions: Player ("" for no one) and action, in order.
        outcome: The result.
    """

    cards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    actions: tuple[tuple[str, str], ...] = ()
    outcome: str = ""


def describe_game(scene: Scene, names: Sequence[str]) -> GameText:
    """Return a game as text, without a first step that is no player's, such as antes.

    Args:
        scene: The game.
        names: Names of the bots by seat.
    """
    cards: dict[str, tuple[str, ...]] = {}
    steps: list[tuple[str, str]] = []
    for step in scene.steps:
        parts = [step.text]
        for name, held in zip((*names, "board"), (*step.cards, step.board)):
            if held and name == "board":
                parts += held[len(cards.get(name, ())) :]
                cards[name] = tuple(held)
            elif held and cards.setdefault(name, tuple(held)) != tuple(held):
                parts[0] += f", holds {' '.join(held)}"
        steps.append(("" if step.seat is None else names[step.seat], " ".join(parts)))
    first = scene.steps[0].seat is None
    ends = len(steps) - scene.ends
    return GameText(cards, tuple(steps[first:ends]), ", ".join(" ".join(filter(None, one)) for one in steps[ends:]))


def plain_columns(row: Row, columns: Iterable[Column]) -> Iterator[tuple[int | None, str]]:
    """Yield a game's columns as text, each with its position, or None. Columns like flop_1 have no position.

    Columns that number the row or name bots are omitted. Instead, the first pair says that position 0 is first.
    """
    seats = {column.name: column.seat for column in columns if column.seat >= 0}
    if "bot_1" in row:
        yield 0, "is first"
    skipped = {"match", "replica", "session", "game", *(column.name for column in columns if column.dtype == NAME)}
    for column, value in row.items():
        if column in skipped:
            continue
        seat = seats.get(column)
        name = (column if seat is None else column.removesuffix(f"_{seat}")).replace("_", " ")
        if seat is not None and isinstance(value, bool) and name.startswith("is "):
            yield seat, name if value else f"{name}: no"
        else:
            yield seat, f"{name}: {plain_value(value)}"


def plain_game(row: Row, names: Sequence[str], columns: Iterable[Column]) -> GameText:
    """Return a game of a contest without a presentation as text, all of it in the outcome."""
    texts = (what if seat is None else f"{names[seat]} {what}" for seat, what in plain_columns(row, columns))
    return GameText(outcome=", ".join(texts))


def plain_value(value: object) -> str:
    """Return a value as text. Runs of four or more successive integers are shortened to the first and the last."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if value == "":
        return '""'
    if isinstance(value, list | tuple) and all(type(item) is int for item in value):
        return f"[{', '.join(_stretches(value))}]"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(plain_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{name}: {plain_value(one)}' for name, one in value.items())}}}"
    return "nothing" if value is None else str(value)


def _stretches(numbers: Sequence[int]) -> Iterator[str]:
    """Yield numbers as text, and runs of four or more that increase by one as the first and the last."""
    for _, group in itertools.groupby(enumerate(numbers), key=lambda item: item[1] - item[0]):
        run = [number for _, number in group]
        if len(run) < 4:
            yield from map(str, run)
        else:
            yield f"{run[0]} to {run[-1]}"
