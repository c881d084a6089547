"""Parts of a report that a contest adds to scores: charts of a bot's play, and a game step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

LEAST = 20  # the fewest decisions for which a share is shown

Rows = Mapping[str, npt.NDArray[Any]]
Sums = Mapping[str, npt.NDArray[Any]]
Row = Mapping[str, Any]
Values = Sequence[float | None]


@dataclass(frozen=True)
class Seats:
    """The number of each row's bot, from 0, for each seat or position. House players have the number `entrants`."""

    players: tuple[npt.NDArray[np.int32], ...]
    entrants: int


@dataclass(frozen=True)
class Line:
    """A row of values by label, None where there is none.

    Attributes:
        name: Name of the row.
        values: The values in the order of the chart's labels.
        compared: Whether the values aren't the bot's own, and are shown for comparison.
    """

    name: str
    values: Values
    compared: bool = False


@dataclass(frozen=True)
class LineChart:
    """Values along an axis. The unit, such as % or $, follows the number."""

    title: str
    meaning: str
    axis: str
    labels: Sequence[str]
    lines: Sequence[Line]
    unit: str = "%"


@dataclass(frozen=True)
class BarChart:
    """A bar for each label. The bars of several lines are stacked or side by side."""

    title: str
    meaning: str
    labels: Sequence[str]
    lines: Sequence[Line]
    unit: str = "%"
    stacked: bool = False


@dataclass(frozen=True)
class GridChart:
    """Shares, 0 to 1, by row and column as a heat map, and the number of cases behind each. A share can be None."""

    title: str
    meaning: str
    rows: Sequence[str]
    columns: Sequence[str]
    shares: Sequence[Values]
    counts: Sequence[Sequence[int]]


Chart = LineChart | BarChart | GridChart


@dataclass(frozen=True)
class Subject:
    """The bot that charts are about.

    Attributes:
        number: Its number.
        field: The sums of all entrants together.
    """

    number: int
    field: Sums


def sum_over_entrants(sums: Sums) -> Sums:
    """Return the sums of all entrants together by name, without the last index, which is that of house players."""
    return {name: values[:-1].sum(axis=0) for name, values in sums.items()}


@dataclass(frozen=True)
class Step:
    """An action of a player, or of the dealer (None), and the cards by seat, the board and the pot after it.

    Cards are short texts, such as K♦. A value of None is unchanged.
    """

    seat: int | None
    text: str
    cards: Sequence[Sequence[str] | None] = (None, None)
    board: Sequence[str] | None = None
    pot: float | None = None


@dataclass(frozen=True)
class Scene:
    """A game step by step.

    Attributes:
        steps: The steps, at least one.
        notes: Texts below the players' names.
        ends: Number of last steps that show the result.
    """

    steps: Sequence[Step]
    notes: tuple[str, str] = ("", "")
    ends: int = 1


@dataclass(frozen=True)
class Decided:
    """Decisions of one kind, as columns of games show them.

    Attributes:
        name: What is decided, such as a bet.
        seat: Seat that decided in each row, or -1 if none did.
        hand: Number of what the seat held, by row; `hands` has the words.
        answer: Number of its answer, by row; `answers` has the words.
    """

    name: str
    seat: npt.NDArray[np.signedinteger[Any]]
    hand: npt.NDArray[Any]
    hands: Sequence[str]
    answer: npt.NDArray[Any]
    answers: Sequence[str]


@dataclass(frozen=True)
class Presentation:
    """The presentation of a contest's games. Records can be untrusted, so values can be outside of the core's.

    Attributes:
        tally: Counts some rows. Counts are added up over all rows. Their first axis has an index for each entrant,
            and one for all others.
        charts: Makes the charts of one bot from these sums.
        scene: Shows a row.
        points: Returns the winnings of each seat in each row, in `money`. None if rows don't have them.
        money: The unit of a game's stakes.
        game: The players' word for a game.
        whole_sessions: Whether a row is one turn of many, so that complete sessions are shown.
        columns: The columns whose values have a chart, without the numbers of seats, and the names of their values
            (none for numbers). None for all of the contest's own.
        seat_0_is: The column that says whether seat 0 has the first of the `positions`, in games or in sessions. "" if
            there are no positions.
        positions: Names of the two positions.
        decided: Finds the decisions in rows, if columns have them, for `tournament losses`.
    """

    tally: Callable[[Rows, Seats], Sums]
    charts: Callable[[Sums, Subject], Sequence[Chart]]
    scene: Callable[[Row], Scene]
    points: Callable[[Rows], Sequence[npt.NDArray[Any]]] | None = None
    money: str = ""
    game: str = "game"
    whole_sessions: bool = False
    columns: Mapping[str, Sequence[str]] | None = None
    seat_0_is: str = ""
    positions: tuple[str, str] = ("", "")
    decided: Callable[[Rows], Sequence[Decided]] | None = None


def counted(where: Sequence[tuple[npt.NDArray[Any], int]]) -> npt.NDArray[np.int64]:
    """Return the number of rows with each combination of values, with an axis for each column.

    Args:
        where: Columns, each with its number of values. Values outside of 0 to below that number count as the nearest.
    """
    shape = [size for _, size in where]
    (values, size), *rest = where
    cell: npt.NDArray[np.signedinteger[Any]]
    cell = _limited(values, size).astype(np.int32 if math.prod(shape) < 1 << 31 else np.int64)
    for values, size in rest:
        np.multiply(cell, size, out=cell)
        np.add(cell, _limited(values, size), out=cell)
    return np.bincount(cell, minlength=math.prod(shape)).reshape(shape)


def _limited(values: npt.NDArray[Any], size: int) -> npt.NDArray[Any]:
    """Return values clipped to 0 to below a size, perhaps the same array. Bounds that the type keeps aren't checked."""
    if values.dtype.kind == "b":
        return values.view(np.uint8) if size > 1 else np.zeros(len(values), np.uint8)
    if values.dtype.kind == "u":
        limit: npt.NDArray[Any] = np.minimum(values, values.dtype.type(min(size - 1, np.iinfo(values.dtype).max)))
        return limit
    inside: npt.NDArray[Any] = np.clip(values, 0, min(size - 1, np.iinfo(values.dtype).max))
    return inside


def bins(values: npt.NDArray[np.floating[Any]], count: int) -> npt.NDArray[np.uint8]:
    """Return the number, from 0, of the part of 0 to 1 in which each value is. NaN can be in any.

    Args:
        values: The values. Those outside of 0 to 1 are in the nearest part.
        count: Number of equal parts, at most 256.
    """
    with np.errstate(all="ignore"):
        scaled = values * count
        np.clip(scaled, 0, count - 1, out=scaled)
        parts: npt.NDArray[np.uint8] = scaled.astype(np.uint8)
    return parts


def against_field(field: Values, own: Values) -> list[Line]:
    """Return two lines that compare a bot's own values with those of the field, which comes first."""
    return [Line("the field", field, compared=True), Line("this bot", own)]


def shares(part: npt.ArrayLike, total: npt.ArrayLike, least: int = LEAST) -> list[float | None]:
    """Return each part divided by its total, from 0 to 1, or None if that total is less than `least`."""
    pairs = zip(np.asarray(part, float).tolist(), np.asarray(total, float).tolist())
    return [above / below if below >= least else None for above, below in pairs]


def won(gain: float, money: str = "", pot: float | None = None) -> Step:
    """Return the last step of a game, in which the winner gets the amount.

    Args:
        gain: What seat 0 won. Below 0, seat 1 won, and at 0 no one.
        money: The unit, "" for none.
        pot: The pot at the end; None for no change.
    """
    seat = None if not gain else 0 if gain > 0 else 1
    return Step(seat, f"wins {money_text(abs(gain), money)}" if gain else "no one wins", pot=pot)


def signed_money(amount: float, money: str) -> str:
    """Return an amount with its sign, such as "+$30", "−5 chips" or "±0 chips"."""
    sign = "+" if amount > 0 else "−" if amount < 0 else "±"
    return f"{sign}{money_text(abs(amount), money)}"


def money_text(amount: float, money: str) -> str:
    """Return an amount with its unit: "$" comes first, and others follow. The amount isn't negative."""
    return f"${amount:g}" if money == "$" else f"{amount:g} {money}".rstrip()
