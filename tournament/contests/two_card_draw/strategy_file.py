"""Strategy files of two-card draw, as the problem's statement has them: read with every defect named, and written."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from engine.games.two_card_draw.core import MAX_BETS, SITUATION_COUNT
from tournament.contests.two_card_draw.hands import HANDS, HISTORIES
from tournament.errors import InputError, and_more
from tournament.small_files import read_small_file

# Maximum distance from 1 of the sum of a line's three probabilities, and the distance by rounding alone.
_SLACK, _ROUNDING = 1e-6, 1e-15
# float() takes more: 1_0, nan, infinity. Each text matches in one way only, so matching takes linear time.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
# A file has 300 KB with probabilities of 17 digits.
MAX_BYTES = 4 << 20
# The highest of each number of a situation, by its name.
_CARDS = {"CARD1": 4, "CARD2": 4}
_KINDS = {
    "ROUND1": _CARDS | {"BETS": 3},
    "DRAW": _CARDS | {"BETS": 3, "DREW": 2, "FIRST": 1},
    "ROUND2": _CARDS | {"BETS1": 3, "BETS2": 3, "DREW1": 2, "DREW2": 2, "FIRST": 1},
}
_FACED = {"ROUND1": 3, "ROUND2": 4}  # index of the bets faced in a betting situation


@dataclass(frozen=True)
class ServerStrategy:
    """A server's strategy, which callers must not change.

    Attributes:
        bet1: Chips of a bet in round 1.
        bet2: Chips of a bet in round 2.
        rows: Three probabilities for each situation, in the order of `situation_labels`. They are those of folding,
            calling and raising, or of drawing no, one or two cards. The array is read-only if it comes from a file.
    """

    bet1: int
    bet2: int
    rows: npt.NDArray[np.float64]


@cache
def situation_labels() -> tuple[str, ...]:
    """Return the beginning of each situation's line, in the order of the written file.

    First come all of ROUND1, then DRAW, then ROUND2. Within a kind they are sorted by hand first.
    """
    labels = [f"ROUND1 {low} {high} {bets}" for low, high in HANDS for bets in range(MAX_BETS + 1)]
    labels += [
        f"DRAW {low} {high} {bets} {drew} {int(y_opened)}"
        for low, high in HANDS
        for bets, y_opened in HISTORIES
        for drew in range(3)
    ]
    labels += [
        f"ROUND2 {low} {high} {bets} {bets2} {drew1} {drew2} {int(y_opened)}"
        for low, high in HANDS
        for bets, y_opened in HISTORIES
        for drew1 in range(3)
        for drew2 in range(3)
        for bets2 in range(MAX_BETS + 1)
    ]
    return tuple(labels)


def write_strategy(strategy: ServerStrategy) -> str:
    """Return a strategy file's text, with a line for each situation in the order of `situation_labels`.

    Probabilities have the shortest text that reads back as the same number.
    """
    lines = [f"{strategy.bet1} {strategy.bet2}"]
    for label, row in zip(situation_labels(), strategy.rows.tolist()):
        lines.append(f"{label} {' '.join(map(_shortest, row))}")
    return "\n".join(lines) + "\n"


def _shortest(probability: float) -> str:
    """Return the shortest text that reads back as the same probability."""
    return str(int(probability)) if probability in (0.0, 1.0) else repr(probability)


def read_strategy_file(path: Path) -> tuple[ServerStrategy, bytes]:
    """Return the strategy in a file, and the file's content.

    Raises:
        InputError: The file is missing, can't be read, isn't a regular file, is larger than 4 MiB, or is malformed. The
            message names the file, and for a malformed one the line and the defect.
    """
    content = read_small_file(path, MAX_BYTES)
    return read_strategy(content, str(path)), content


def read_strategy(content: bytes, where: str) -> ServerStrategy:
    """Return the strategy in a file's bytes. Lines of situations can be in any order.

    Probabilities that add up to 1 only within 1e-6 are divided by their sum.

    Args:
        content: The file's content.
        where: Begins messages, such as the file's path.

    Raises:
        InputError: The content is larger than 4 MiB, isn't ASCII, or is malformed. Or a situation is missing or there
            twice. The message names the line and the defect, except for the size.
    """
    if len(content) > MAX_BYTES:
        raise InputError(f"{where} is larger than {MAX_BYTES >> 20} MiB")

    def refuse(number: int, problem: str) -> NoReturn:
        """Raise an InputError about a line.

        Args:
            number: Number of the line, from 1.
            problem: The defect.

        Raises:
            InputError: Always.
        """
        raise InputError(f"{where}, line {number}: {problem}")

    try:
        text = content.decode("ascii")
    except UnicodeDecodeError as error:
        refuse(content.count(b"\n", 0, error.start) + 1, "a strategy file is plain ASCII text")
    lines = _rows(text)
    number, words = next(lines, (1, []))
    if len(words) != 2:
        refuse(number, "the first line must have two numbers, bet1 and bet2")
    bets = [_parse_integer(word) for word in words]
    if bets[0] is None or not 1 <= bets[0] <= 5:
        refuse(number, f"bet1 is {words[0][:40]}, must be 1 to 5")
    if bets[1] is None or not bets[0] <= bets[1] <= 3 * bets[0]:
        refuse(number, f"bet2 is {words[1][:40]}, must be {bets[0]} to {3 * bets[0]}: from bet1 to three times bet1")
    rows = np.zeros((SITUATION_COUNT, 3))
    situation_numbers = _situation_numbers()
    seen: dict[int, int] = {}
    for number, words in lines:
        if words[0] not in _KINDS:
            refuse(number, f"a line begins with ROUND1, DRAW or ROUND2, not {words[0][:40]}")
        fields = len(_KINDS[words[0]])
        if len(words) != 1 + fields + 3:
            refuse(number, f"{words[0]} has {fields} numbers and 3 probabilities, this line has {len(words) - 1}")
        situation = situation_numbers.get(" ".join(words[: 1 + fields])) or _situation(words[0], words[1 : 1 + fields])
        if isinstance(situation, str):
            refuse(number, situation)
        if situation in seen:
            refuse(number, f"{situation_labels()[situation]} is there already, on line {seen[situation]}")
        seen[situation] = number
        row = _probabilities(words[0], situation, words[1 + fields :])
        if isinstance(row, str):
            refuse(number, row)
        rows[situation] = row
    if len(seen) < SITUATION_COUNT:
        missing = next(label for situation, label in enumerate(situation_labels()) if situation not in seen)
        count = SITUATION_COUNT - len(seen)
        suffix = f"{and_more(count - 1)} situations are" if count > 1 else " is"
        raise InputError(f"{where}, line {max([1, *seen.values()])}, the last: {missing}{suffix} missing")
    rows.setflags(write=False)
    return ServerStrategy(bets[0], bets[1], rows)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield number, from 1, and words of each line that isn't blank, in order."""
    for number, line in enumerate(text.split("\n"), 1):
        if words := line.split():
            yield number, words


@cache
def _situation_numbers() -> dict[str, int]:
    """Return the number of each situation by its label. The dict is cached, so callers must not change it."""
    return {label: situation for situation, label in enumerate(situation_labels())}


def _parse_integer(word: str) -> int | None:
    """Return a non-negative integer of at most nine digits, or None for other text, such as one with a sign."""
    return int(word) if word.isdigit() and len(word) < 10 else None


def _situation(kind: str, fields: list[str]) -> int | str:
    """Return the number of a situation in an unusual notation, such as with leading zeros, or its defect as text.

    Args:
        kind: ROUND1, DRAW or ROUND2.
        fields: The words of its numbers, in order.
    """
    values: dict[str, int] = {}
    for (name, most), word in zip(_KINDS[kind].items(), fields):
        value = _parse_integer(word)
        if value is None or value > most:
            return f"{name} is {word[:40]}, must be 0 to {most}"
        values[name] = value
    if values["CARD1"] > values["CARD2"]:
        return f"CARD1 is {values['CARD1']}, must not be higher than CARD2, {values['CARD2']}"
    if values.get("FIRST") and 0 in (values.get("BETS"), values.get("BETS1")):
        return "FIRST is 1 where no one bet, must be 0"
    return _situation_numbers()[" ".join([kind, *map(str, values.values())])]


def _probabilities(kind: str, situation: int, fields: list[str]) -> list[float] | str:
    """Return a line's three probabilities, which add up to 1, or their defect as text.

    If their sum is within 1e-6 of 1, they are divided by it. Folding must be 0 where calling is free, and raising must
    be 0 after the last bet.

    Args:
        kind: ROUND1, DRAW or ROUND2.
        situation: Number of the situation.
        fields: The words of the probabilities, in order.
    """
    row = []
    for word in fields:
        if not _NUMBER.fullmatch(word):
            return f"{word[:40]} is not a number"
        value = float(word)
        if not 0 <= value <= 1:
            return f"{word[:40]} is not a probability, which is 0 to 1"
        row.append(value)
    total = math.fsum(row)
    if abs(total - 1) > _SLACK:
        return f"the probabilities add up to {total:.9g}, must be 1"
    if kind != "DRAW":
        bets = int(situation_labels()[situation].split()[_FACED[kind]])
        if bets == 0 and row[0] > 0:
            return "fold must be 0 where calling is free"
        if bets == MAX_BETS and row[2] > 0:
            return f"raise must be 0 after {MAX_BETS} bets"
    return row if abs(total - 1) <= _ROUNDING else [value / total for value in row]
