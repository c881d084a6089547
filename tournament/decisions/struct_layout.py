"""The struct in which C bots find the values that decisions show, and where they leave answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.rules.decisions import LEGAL_ACTIONS, SEATING
from engine.rules.slots import Slot
from tournament.decisions.value_types import Choice, Int, LegalAction, List, Maybe, Struct, Text, ValueType

if TYPE_CHECKING:
    from tournament.decisions.decision import Decision

C_TYPES = {"i": "int32_t", "q": "int64_t", "d": "double", "f": "float", "c": "int32_t", "b": "int32_t", "s": "char"}
# numpy's formats of numbers, by their code.
_FORMATS = {"i": "<i4", "q": "<i8", "d": "<f8", "f": "<f4", "c": "<i4", "b": "<i4"}
_SIZES = {"i": 4, "q": 8, "d": 8, "f": 4, "c": 4, "b": 4, "s": 1}  # bytes
_COUNT_BYTES = 4
_SEAT_BYTES = 4  # size of each number of the seating


@dataclass(frozen=True)
class Part:
    """A name that a value has in a struct.

    Attributes:
        name: The name in C.
        kind: The numpy format of a number or text, such as "<i4" or "S9", or the layout of a record.
        offset: Bytes from the start of the struct.
        shape: Number of items in each dimension, without one for a single value.
    """

    name: str
    kind: str | Layout
    offset: int
    shape: tuple[int, ...] = ()


@dataclass(frozen=True)
class Member:
    """A value in a struct.

    Attributes:
        slot: The slot to which the engine writes it, or from which it reads. Its place is -1 for a text that C bots
            don't observe.
        lines: Its declarations in C, empty for a value that C bots don't observe. In a layout a comment comes first.
        parts: The names that it takes in the struct, by offset, empty for a value that C bots don't observe.
        end: Offset of the first byte after it.
        alignment: Alignment in bytes.
    """

    slot: Slot
    lines: tuple[str, ...]
    parts: tuple[Part, ...]
    end: int
    alignment: int = 1


@dataclass(frozen=True)
class Layout:
    """The members of a struct by name.

    Attributes:
        members: The members, in the struct's order.
        size: Bytes of the struct.
        alignment: Alignment in bytes.
    """

    members: Mapping[str, Member]
    size: int
    alignment: int

    @property
    def parts(self) -> list[Part]:
        """All names in the struct, by offset, without those within records."""
        return [part for member in self.members.values() for part in member.parts]

    @property
    def lines(self) -> list[str]:
        """The members' declarations in C, in the struct's order. A member `nothing` if C bots observe no value."""
        return [line for member in self.members.values() for line in member.lines] or ["int32_t nothing;"]


@dataclass(frozen=True)
class View:
    """The struct of a contest's questions.

    Attributes:
        layout: The values' layout, which starts after the seating.
        lines: Declarations of the seating and the values in C.
        answer_size: Bytes of the largest answer that bots write behind the struct, 0 if they return all answers.
    """

    layout: Layout
    lines: tuple[str, ...]
    answer_size: int

    @property
    def size(self) -> int:
        """Bytes of the struct with the seating, rounded up to a multiple of 8, and at least 8."""
        return max(8, _aligned(self.layout.size, 8))

    @property
    def slots(self) -> dict[str, Slot]:
        """The slots of values by name, without those of the seating."""
        return {name: member.slot for name, member in self.layout.members.items()}


def _aligned(offset: int, size: int) -> int:
    """Return the first multiple of a size that is no less than an offset."""
    return -offset % size + offset


def is_number(kind: ValueType) -> bool:
    """Return whether C has a value as one number: an Int, a Float, a Choice or a Bool, or a LegalAction of Int."""
    return kind.shape.kind in "iqdcb"


def _member(name: str, kind: ValueType, offset: int, *, with_texts: bool = False) -> Member:
    """Return a value's place in a struct whose members so far end at an offset, as C compilers lay it out.

    Args:
        name: Name of the value.
        kind: Type of the value.
        offset: Offset of the first free byte.
        with_texts: Whether texts have a place. Without one they take no bytes, lines or names.

    Raises:
        ValueError: Two values of a record would have the same name in C.
    """
    if isinstance(kind, List):
        return _list_member(name, kind, offset, with_texts=with_texts)
    if isinstance(kind, Maybe):
        flag = _aligned(offset, _COUNT_BYTES)
        content = _member(name, kind.of, flag + _COUNT_BYTES, with_texts=with_texts)
        lines, parts = (f"int32_t has_{name};", *content.lines), (Part(f"has_{name}", "<i4", flag), *content.parts)
        slot = Slot(content.slot.value, count=flag, item=content.slot)
        return Member(slot, lines, parts, content.end, max(_COUNT_BYTES, content.alignment))
    if isinstance(kind, Struct):
        inner = compute_layout(kind.fields, with_texts=with_texts)
        start = _aligned(offset, inner.alignment)
        slot = Slot(start, parts=[member.slot for member in inner.members.values()])
        lines = ("struct {", *(f"    {line}" for line in inner.lines), f"}} {name};")
        return Member(slot, lines, (Part(name, inner, start),), start + inner.size, inner.alignment)
    if isinstance(kind, Text):
        if not with_texts:
            return Member(Slot(-1), (), (), offset)
        size = (kind.max_length or 0) + 1
        return Member(Slot(offset), (f"char {name}[{size}];",), (Part(name, f"S{size}", offset),), offset + size)
    size = _SIZES[kind.code]
    start = _aligned(offset, size)
    part = Part(name, _FORMATS[kind.code], start)
    return Member(Slot(start, size=size), (f"{C_TYPES[kind.code]} {name};",), (part,), start + size, size)


def _list_member(name: str, kind: List, offset: int, *, with_texts: bool) -> Member:
    """Return a list's place: its count, then its items. Lengths of rows come before the items of a list of lists.

    A list of texts has no place, except that the one of legal actions has its count. Room is for at least one item.

    Raises:
        ValueError: Two values of a record would have the same name in C.
    """
    item, room = kind.of, max(1, kind.most)
    count = _aligned(offset, _COUNT_BYTES)
    end = count + _COUNT_BYTES
    counted = f"int32_t {name}_count;"
    length = Part(f"{name}_count", "<i4", count)
    if isinstance(item, Text):
        if name != LEGAL_ACTIONS:
            return Member(Slot(-1, count=-1), (), (), offset)
        return Member(Slot(-1, count=count), (counted,), (length,), end, _COUNT_BYTES)
    if is_number(item):
        size = _SIZES[item.code]
        start = _aligned(end, size)
        slot = Slot(start, size=size, count=count)
        lines: tuple[str, ...] = (counted, f"{C_TYPES[item.code]} {name}[{room}];")
        part = Part(name, _FORMATS[item.code], start, (room,))
        return Member(slot, lines, (length, part), start + size * room, max(size, _COUNT_BYTES))
    if isinstance(item, List) and is_number(item.of):
        size, row = _SIZES[item.of.code], max(1, item.most)
        start = _aligned(end + _COUNT_BYTES * room, size)
        slot = Slot(start, size=size * row, count=count, lengths=end, item=Slot(0, size=size, count=0))
        lines = (counted, f"int32_t {name}_lengths[{room}];", f"{C_TYPES[item.of.code]} {name}[{room}][{row}];")
        rows = (
            length,
            Part(f"{name}_lengths", "<i4", end, (room,)),
            Part(name, _FORMATS[item.of.code], start, (room, row)),
        )
        return Member(slot, lines, rows, start + size * row * room, max(size, _COUNT_BYTES))
    inner = compute_layout(item.fields if isinstance(item, Struct) else {"value": item}, with_texts=with_texts)
    slots = [member.slot for member in inner.members.values()]
    start = _aligned(end, inner.alignment)
    each = Slot(0, parts=slots) if isinstance(item, Struct) else slots[0]
    slot = Slot(start, size=inner.size, count=count, item=each)
    lines = (counted, "struct {", *(f"    {line}" for line in inner.lines), f"}} {name}[{room}];")
    parts = (length, Part(name, inner, start, (room,)))
    return Member(slot, lines, parts, start + inner.size * room, max(inner.alignment, _COUNT_BYTES))


def compute_layout(values: Mapping[str, ValueType], *, with_texts: bool = False, start: int = 0) -> Layout:
    """Return the struct of values in their order, as C compilers lay it out.

    Args:
        values: The types by name.
        with_texts: Whether texts have a place, as in answers.
        start: Bytes before them, which count in offsets and in the size.

    Raises:
        ValueError: Two values would have the same name in C.
    """
    members: dict[str, Member] = {}
    taken: set[str] = set()
    end = start
    for name, kind in values.items():
        member = _member(name, kind, end, with_texts=with_texts)
        end = member.end
        for called in (part.name for part in member.parts):
            if called in taken or (called != name and called in values):
                raise ValueError(f"C bots have the name {called} for a part of {name}; rename the other value")
            taken.add(called)
        comment = f"/* {'; '.join(filter(None, (kind.description, kind.limits)))} */"
        members[name] = replace(member, lines=(comment, *member.lines) if member.lines else ())
    alignment = max((member.alignment for member in members.values()), default=1)
    return Layout(members, max(0 if taken else _COUNT_BYTES, _aligned(end, alignment)), alignment)


@dataclass(frozen=True)
class Answer:
    """An answer that a C bot writes instead of returning it.

    Attributes:
        slot: Slot of the answer, relative to its start.
        size: Bytes of the answer. A text's include a byte 0 at its end.
        lines: Declarations of the members in C if the answer is a struct. Empty for a text or a list of numbers.
    """

    slot: Slot
    size: int
    lines: tuple[str, ...] = ()


def answer_layout(kind: ValueType) -> Answer | None:
    """Return the layout of an answer that C bots write, or None if they return it as a number.

    They return a number, a choice, a truth value, or a legal action.

    Raises:
        ValueError: Two values of a record would have the same name in C.
    """
    if is_number(kind) or isinstance(kind, LegalAction):
        return None
    if isinstance(kind, Text):
        return Answer(Slot(0), (kind.max_length or 0) + 1)
    if isinstance(kind, List) and is_number(kind.of):
        size = _SIZES[kind.of.code]
        return Answer(Slot(0, size=size), size * max(1, kind.most))
    layout = compute_layout(kind.fields if isinstance(kind, Struct) else {"value": kind}, with_texts=True)
    slots = [member.slot for member in layout.members.values()]
    return Answer(Slot(0, parts=slots) if isinstance(kind, Struct) else slots[0], layout.size, tuple(layout.lines))


def seating_types(max_seats: int) -> dict[str, ValueType]:
    """Return the types of `seat`, `seats` and `players`, in this order, at tables of at most this many seats."""
    numbers = List(Int(0, max_seats - 1), max_seats, "by position a number of its bot, the same for a whole match")
    seat, seats = Int(0, max_seats - 1, "your position; 0 comes first"), Int(1, max_seats, "positions at the table")
    return dict(zip(SEATING, (seat, seats, numbers)))


def build_view(decisions: Sequence[Decision], max_seats: int) -> View:
    """Return the struct of a contest's decisions, as C compilers lay it out.

    It begins with the seating. Values of several decisions are in it once. The first decision's description of them
    counts.

    Args:
        decisions: The contest's decisions.
        max_seats: The most positions of a table.

    Raises:
        ValueError: Two decisions show values of different types by the same name, or `legal_actions` that are numbers
            in one and texts in the other. Or two values would have the same name in C.
    """
    observed: dict[str, ValueType] = {}
    for decision in decisions:
        for name, value in decision.observation.items():
            if name == LEGAL_ACTIONS:
                observed[name] = _widest(observed.get(name, value), value)
            elif (known := observed.setdefault(name, value)).shape != value.shape or known.code != value.code:
                raise ValueError(f"two decisions show different things called {name}")
    lines = []
    for name, kind in seating_types(max_seats).items():
        size = "" if isinstance(kind, Int) else f"[{max_seats}]"
        lines += [f"/* {kind.description}; {kind.limits} */", f"int32_t {name}{size};"]
    layout = compute_layout(observed, start=_SEAT_BYTES * (len(SEATING) - 1 + max_seats))
    answer_size = max((decision.answer_bytes for decision in decisions), default=0)
    return View(layout, (*lines, *layout.lines), answer_size)


def _widest(first: ValueType, second: ValueType) -> ValueType:
    """Return a type of legal actions that fits those of two decisions, with the first one's description.

    Of two lists of texts it is the first one, because C bots observe only the count.

    Raises:
        ValueError: Those of one are numbers, and those of the other texts.
    """
    assert isinstance(first, List) and isinstance(second, List)
    if first == second:
        return first
    if isinstance(first.of, Int) and isinstance(second.of, Int):
        numbers = Int(min(first.of.low, second.of.low), max(first.of.high, second.of.high))
        return List(numbers, max(first.most, second.most), first.description)
    if type(first.of) is not type(second.of):
        raise ValueError(f"the {LEGAL_ACTIONS} of one decision are numbers, those of another texts")
    return first


def choice_constants(decisions: Sequence[Decision]) -> dict[str, int]:
    """Return the numbers of all choices by their names in C, in order of declaration.

    Raises:
        ValueError: A name has two numbers.
    """
    numbers: dict[str, int] = {}
    for decision in decisions:
        for choice in _choices((*decision.observation.values(), decision.answer)):
            for number, name in enumerate(choice.constants):
                if numbers.setdefault(name, number) != number:
                    raise ValueError(f"{name} has different numbers in two choices, but C bots need one")
    return numbers


def _choices(kinds: Sequence[ValueType]) -> Iterator[Choice]:
    """Yield the choices among types, and within them, in their order. A choice that occurs twice comes twice."""
    for kind in kinds:
        if isinstance(kind, Choice):
            yield kind
        yield from _choices(kind.parts)
