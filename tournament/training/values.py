"""Observations as records of numpy. For contests with rules in Python they are the struct that C bots receive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.rules.decisions import LEGAL_ACTIONS
from tournament.contests.contest import Contest
from tournament.decisions.struct_layout import Layout, Part, build_view
from tournament.decisions.value_types import Bool, Choice, Int, LegalAction, List, Maybe, Struct, Text, ValueType

_FORMATS = {"i": "<i4", "q": "<i8", "d": "<f8", "c": "<i4", "b": "<i4", "f": "<f4"}


def record_dtype(contest: Contest) -> tuple[np.dtype[np.void], bool]:
    """Return the type of a contest's questions as records, and whether its cores write such records themselves.

    Fields are in the order of their bytes. The size of a record is a multiple of 8 bytes. Texts are
    omitted. The length of a list is in another field.

    Raises:
        ValueError: Two values of the contest have the same name and different types.
    """
    interface = contest.interface
    if not interface.by_name:
        return _dtype(interface.layout.parts, interface.view_size, 8), False
    seating = interface.seating["seats"]
    assert isinstance(seating, Int)
    parts = [Part("seat", "<i4", 0), Part("seats", "<i4", 4), Part("players", "<i4", 8, (seating.high,))]
    parts += build_view(interface.questions, seating.high).layout.parts
    return _dtype(parts, interface.compiled.struct_size, 8), True


def _dtype(parts: Sequence[Part], size: int, multiple: int = 1) -> np.dtype[np.void]:
    """Return the record type of the parts of a struct.

    Args:
        parts: The parts.
        size: Size of the struct in bytes.
        multiple: Number of bytes to whose multiple the size is rounded up, by default 1.
    """
    kinds = [_dtype(part.kind.parts, part.kind.size) if isinstance(part.kind, Layout) else part.kind for part in parts]
    return np.dtype(
        {
            "names": [part.name for part in parts],
            "formats": [(kind, part.shape) for kind, part in zip(kinds, parts)],
            "offsets": [part.offset for part in parts],
            "itemsize": -size % multiple + size,
        }
    )


def answer_range(answer: ValueType) -> range | None:
    """Return the integers that answers can be, or None if answers aren't integers.

    The name of a choice is represented by its index, from 0, and a truth value by 0 or 1. The integers of a legal
    action are all declared ones, not only those of a turn.
    """
    kind = answer.of if isinstance(answer, LegalAction) else answer
    if isinstance(kind, Int):
        return range(kind.low, kind.high + 1)
    if isinstance(answer, Choice):
        return range(len(answer.names))
    return range(2) if isinstance(answer, Bool) else None


class Features:
    """Observations as vectors of numbers, in which each value has the same place for all decisions.

    The value `players`, the legal actions and texts aren't in them.

    Attributes:
        names: Names of the numbers, in order: "value", or "value_0" and so on if a value has several numbers. Values
            are in the order of the decisions that first show them.

    Args:
        contest: Contest with the decisions.
    """

    def __init__(self, contest: Contest) -> None:
        interface = contest.interface
        kinds: dict[str, ValueType] = {}
        for question in interface.questions:
            kinds |= interface.observed(question)
        self._kinds = {
            name: kind for name, kind in kinds.items() if _width(kind) and name not in ("players", LEGAL_ACTIONS)
        }
        self.names = tuple(one for name, kind in self._kinds.items() for one in _named(name, kind))

    def vector(self, observation: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        """Return an observation as a new vector in the order of `names`.

        Values that the decision doesn't have are 0. The name of a choice is its index. An optional value has a flag
        before it, and a list its length.
        """
        numbers: list[float] = []
        for name, kind in self._kinds.items():
            numbers += _flat(kind, observation[name]) if name in observation else [0.0] * _width(kind)
        return np.array(numbers)


def _named(name: str, kind: ValueType) -> list[str]:
    """Return the names of the numbers that represent a value, in order. There are none for a text."""
    width = _width(kind)
    return [name] if width == 1 else [f"{name}_{number}" for number in range(width)]


def _width(kind: ValueType) -> int:
    """Return how many numbers represent a value.

    For a list these are its length and its items, with zeros after them. A text isn't represented.
    """
    if isinstance(kind, Text):
        return 0
    if isinstance(kind, List):
        width = _width(kind.of)
        return 1 + kind.most * width if width else 1
    return sum(map(_width, kind.parts)) + isinstance(kind, Maybe) if kind.parts else 1


def _flat(kind: ValueType, value: Any) -> list[float]:
    """Return the numbers that represent a value, in order, as many as `_width` returns."""
    if isinstance(kind, Text):
        return []
    if isinstance(kind, Choice):
        return [float(kind.names.index(value))]
    if isinstance(kind, Maybe):
        return [0.0] * _width(kind) if value is None else [1.0, *_flat(kind.of, value)]
    if isinstance(kind, Struct):
        return [number for name, part in kind.fields.items() for number in _flat(part, value[name])]
    if isinstance(kind, List):
        items = [number for item in value for number in _flat(kind.of, item)]
        return [float(len(value)), *items, *[0.0] * (_width(kind) - 1 - len(items))]
    return [float(value)]
