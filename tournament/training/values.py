"""What questions show, as records of numpy: for contests by rules in Python the struct that C bots get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import SEAT_LIMIT
from engine.rules.decisions import LEGAL_ACTIONS
from tournament.contests.contest import Contest
from tournament.contests.interface import DecisionSpec, Interface
from tournament.rules.struct_layout import is_number, lay_out
from tournament.rules.value_types import Bool, Choice, Float, Int, LegalAction, List, Maybe, Struct, Text, ValueType

_FORMATS = {"i": "<i4", "q": "<i8", "d": "<f8", "c": "<i4", "b": "<i4", "f": "<f4"}
_NUMBER = Float()
_Field = tuple[Any, ...]  # name, type and perhaps shape, as numpy takes it


def record_dtype(contest: Contest) -> tuple[np.dtype[np.void], bool]:
    """Return the type of a contest's questions as records, and whether its cores write such records themselves.

    A record has 8 bytes or a multiple. Texts are left out. A list has its length in another field.
    """
    interface = contest.interface
    if not interface.by_name:
        return _of_view(interface), False
    decisions = [question.declared for question in interface.questions]
    seats = contest.seats
    most_seats = SEAT_LIMIT if seats == "all" else seats if isinstance(seats, int) else seats[-1]
    view = lay_out(decisions, most_seats)
    fields: list[_Field] = [("seat", "<i4"), ("seats", "<i4"), ("players", "<i4", (most_seats,))]
    shown: dict[str, ValueType] = {}
    for decision in decisions:
        shown = decision.observation | shown
    for name in view.layout.members:
        fields += _fields(name, shown[name])
    packed = np.dtype(fields, align=True)
    assert packed.fields is not None
    return _placed(
        {name: (place[0], place[1]) for name, place in packed.fields.items()}, interface.compiled.struct_size
    ), True


def _placed(fields: dict[str, tuple[Any, int]], size: int) -> np.dtype[np.void]:
    return np.dtype(
        {
            "names": list(fields),
            "formats": [kind for kind, _ in fields.values()],
            "offsets": [offset for _, offset in fields.values()],
            "itemsize": -size % 8 + size,
        }
    )


def _fields(name: str, kind: ValueType) -> list[_Field]:
    """Return the fields of a value, as the struct of C bots has them."""
    if is_number(kind):
        return [(name, _FORMATS[kind.shape.kind])]
    if isinstance(kind, Maybe):
        return [(f"has_{name}", "<i4"), *_fields(name, kind.of)]
    if isinstance(kind, Struct):
        return [(name, _struct(kind.fields))]
    if not isinstance(kind, List):
        return []
    item, room = kind.of, max(1, kind.most)
    counted = (f"{name}_count", "<i4")
    if is_number(item):
        return [counted, (name, _FORMATS[item.shape.kind], (room,))]
    if isinstance(item, List) and is_number(item.of):
        row = _FORMATS[item.of.shape.kind], (room, max(1, item.most))
        return [counted, (f"{name}_lengths", "<i4", (room,)), (name, *row)]
    if not item.parts:
        return []
    return [counted, (name, _struct(item.fields if isinstance(item, Struct) else {"value": item}), (room,))]


def _struct(fields: Any) -> np.dtype[np.void]:
    return np.dtype([one for name, kind in fields.items() for one in _fields(name, kind)], align=True)


def _of_view(interface: Interface) -> np.dtype[np.void]:
    """Return the record of a view and, behind it, a question's arguments."""
    fields: dict[str, tuple[Any, int]] = {one.name: (_FORMATS[one.code], one.offset) for one in interface.view}
    begins = -interface.view_size % 8 + interface.view_size
    for question in interface.questions:
        for number, name in enumerate(question.arguments):
            fields[name] = "<i8", begins + 8 * number
    return _placed(fields, begins + 8 * interface.most_arguments)


def legal_range(question: DecisionSpec, settings: Any) -> range | None:
    """Return the whole numbers that a decision's answers can be; None where answers are something else.

    A name of a choice is its number, from 0.
    """
    return question.actions(settings) if question.actions else numbers_of(question.declared.answer)


def numbers_of(answer: ValueType) -> range | None:
    """Return the whole numbers of a type of answers; None for another."""
    kind = answer.of if isinstance(answer, LegalAction) else answer
    if isinstance(kind, Int):
        return range(kind.low, kind.high + 1)
    if isinstance(answer, Choice):
        return range(len(answer.names))
    return range(2) if isinstance(answer, Bool) else None


class Features:
    """What questions show as a vector of numbers, each value at its place whatever the decision.

    Attributes:
        names: What the numbers are, in order.
    """

    def __init__(self, contest: Contest) -> None:
        interface = contest.interface
        kinds: dict[str, ValueType] = {}
        for question, told in zip(interface.questions, interface.told):
            of_rules = question.declared.observation if question.declared else {}
            kinds |= {name: of_rules.get(name, _NUMBER) for name in told if name not in ("players", LEGAL_ACTIONS)}
        self._kinds = {name: kind for name, kind in kinds.items() if _width(kind)}
        self.names = tuple(one for name, kind in self._kinds.items() for one in _named(name, kind))

    def vector(self, observation: Mapping[str, Any]) -> npt.NDArray[np.float64]:
        """Return an observation as the numbers of these names; those of other decisions are 0."""
        found: list[float] = []
        for name, kind in self._kinds.items():
            found += _flat(kind, observation[name]) if name in observation else [0.0] * _width(kind)
        return np.array(found)


def _named(name: str, kind: ValueType) -> list[str]:
    width = _width(kind)
    return [name] if width == 1 else [f"{name}_{number}" for number in range(width)]


def _width(kind: ValueType) -> int:
    """Return how many numbers stand for a value: a list has its length, and its items with zeros behind them."""
    if isinstance(kind, Text):
        return 0
    if isinstance(kind, List):
        width = _width(kind.of)
        return 1 + kind.most * width if width else 1
    return sum(map(_width, kind.parts)) + isinstance(kind, Maybe) if kind.parts else 1


def _flat(kind: ValueType, value: Any) -> list[float]:
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
