"""The struct in which C bots find the values that decisions show, and where they leave answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.rules.decisions import LEGAL_ACTIONS, SEATING, SIZES
from tournament.rules.decision import Decision
from tournament.rules.value_types import Choice, Int, List, ValueType

C_TYPES = {"i": "int32_t", "q": "int64_t", "d": "double", "c": "int32_t", "s": "char"}
_COUNT_BYTES = 4
_SEAT_BYTES = 4  # of each number of the seating


@dataclass(frozen=True)
class Member:
    """A value in the struct: `offset` of its number or first item, `count_offset` of the count of a list; -1 where
    there is none."""

    name: str
    type: ValueType
    offset: int
    count_offset: int = -1

    @property
    def place(self) -> int | tuple[int, int]:
        """As `engine.rules.decisions` takes it."""
        if self.offset < 0:
            return self.count_offset
        return self.offset if self.count_offset < 0 else (self.count_offset, self.offset)

    def in_c(self) -> list[str]:
        """Its lines in the struct."""
        code, _, _, most, _ = self.type.spec
        lines = [f"/* {self.type.description}; {self.type.limits} */"]
        if self.count_offset >= 0:
            lines.append(f"int32_t {self.name}_count;")
        if self.offset < 0:
            return lines
        return [*lines, f"{C_TYPES[code]} {self.name}{'' if most < 0 else f'[{max(1, most)}]'};"]


@dataclass(frozen=True)
class Struct:
    """The members of the struct and its size in bytes, and that of what bots leave behind it."""

    members: tuple[Member, ...]
    size: int
    answer_size: int

    @property
    def wide_actions(self) -> bool:
        """Whether legal actions have 64 bits."""
        return any(member.name == LEGAL_ACTIONS and member.type.spec[0] == "q" for member in self.members)


def seating_of(most_seats: int) -> dict[str, ValueType]:
    """Return the types of what every question shows of the seating at tables of at most this many seats."""
    numbers = List(Int(0, most_seats - 1), most_seats, "by position a number of its bot, the same for a whole match")
    seat, seats = Int(0, most_seats - 1, "your position; 0 comes first"), Int(1, most_seats, "positions at the table")
    return dict(zip(SEATING, (seat, seats, numbers)))


def lay_out(decisions: Sequence[Decision], most_seats: int) -> Struct:
    """Return the struct of a contest's decisions, as C compilers lay it out.

    It begins with the seating. Values of several decisions are in it once. The first decision's description of them
    counts.

    Args:
        decisions: The contest's decisions.
        most_seats: The most seats of a table.

    Raises:
        ValueError: Two decisions show values of different types by the same name.
    """
    shown: dict[str, ValueType] = {}
    for decision in decisions:
        for name, value in decision.observation.items():
            if name == LEGAL_ACTIONS:
                shown[name] = _widest(shown.get(name, value), value)
            elif shown.setdefault(name, value).spec != value.spec:
                raise ValueError(f"two decisions show different things called {name}")
    seating = seating_of(most_seats).items()
    members = [Member(name, kind, _SEAT_BYTES * place) for place, (name, kind) in enumerate(seating)]
    end = _SEAT_BYTES * (len(members) - 1 + most_seats)
    for name, value in shown.items():
        code, _, _, most, _ = value.spec
        if code == "s" and name != LEGAL_ACTIONS:
            continue
        count_offset = offset = -1
        if most >= 0:
            if f"{name}_count" in shown:
                raise ValueError(f"{name}_count is what C bots call the length of {name}")
            count_offset = -end % _COUNT_BYTES + end
            end = count_offset + _COUNT_BYTES
        if code != "s":
            size = SIZES[code]
            offset = -end % size + end
            end = offset + size * (1 if most < 0 else max(1, most))
        members.append(Member(name, value, offset, count_offset))
    return Struct(tuple(members), max(8, -end % 8 + end), max((one.answer_bytes for one in decisions), default=0))


def _widest(one: ValueType, other: ValueType) -> ValueType:
    """A type of legal actions that has room for those of two decisions. Raises ValueError for numbers and texts."""
    assert isinstance(one, List) and isinstance(other, List)
    if one == other:
        return one
    if isinstance(one.of, Int) and isinstance(other.of, Int):
        numbers = Int(min(one.of.low, other.of.low), max(one.of.high, other.of.high))
        return List(numbers, max(one.most, other.most), one.description)
    if type(one.of) is not type(other.of):
        raise ValueError(f"the {LEGAL_ACTIONS} of one decision are numbers, those of another texts")
    return one


def constants_of(decisions: Sequence[Decision]) -> dict[str, int]:
    """What C bots call the names of all choices, and their numbers. Raises ValueError where one has two numbers."""
    types = [kind for decision in decisions for kind in (*decision.observation.values(), decision.answer)]
    numbers: dict[str, int] = {}
    for one in types:
        choice = one.of if isinstance(one, List) else one
        for number, name in enumerate(choice.constants if isinstance(choice, Choice) else ()):
            if numbers.setdefault(name, number) != number:
                raise ValueError(f"{name} stands at another place in two choices: C bots know it by one number")
    return numbers
