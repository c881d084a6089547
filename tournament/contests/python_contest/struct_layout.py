"""The struct in which C bots find the values that decisions tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.rules.decisions import SIZES
from tournament.contests.python_contest.declaring import Decision, Told

C_TYPES = {"i": "int32_t", "q": "int64_t", "d": "double"}
_COUNT_BYTES = 4


@dataclass(frozen=True)
class Member:
    """A value in the struct: `offset` of its number or first item, `count_offset` of the count of a list."""

    name: str
    told: Told
    offset: int
    count_offset: int = -1

    @property
    def place(self) -> int | tuple[int, int]:
        """As `engine.rules.decisions` takes it."""
        return self.offset if self.told.most < 0 else (self.count_offset, self.offset)

    def in_c(self) -> list[str]:
        """Its lines in the struct."""
        kind = C_TYPES[self.told.code]
        lines = [f"/* {self.told.meaning}; {self.told.limits} */"]
        if self.told.most < 0:
            return [*lines, f"{kind} {self.name};"]
        return [*lines, f"int32_t {self.name}_count;", f"{kind} {self.name}[{max(1, self.told.most)}];"]


@dataclass(frozen=True)
class Struct:
    """The members of the struct and its size in bytes."""

    members: tuple[Member, ...]
    size: int


def lay_out(decisions: Sequence[Decision]) -> Struct:
    """The struct of a contest's decisions, as C compilers lay it out. Values of several decisions are in it once.
    Raises ValueError when two decisions tell different things by the same name."""
    told: dict[str, Told] = {}
    for decision in decisions:
        for name, value in decision.told.items():
            if told.setdefault(name, value) != value:
                raise ValueError(f"two decisions tell different things called {name}")
    members = []
    end = 0
    for name, value in told.items():
        if value.code == "s":
            continue
        count_offset = -1
        if value.most >= 0:
            if f"{name}_count" in told:
                raise ValueError(f"{name}_count is what C bots call the length of {name}")
            count_offset = -end % _COUNT_BYTES + end
            end = count_offset + _COUNT_BYTES
        size = SIZES[value.code]
        offset = -end % size + end
        end = offset + size * (1 if value.most < 0 else max(1, value.most))
        members.append(Member(name, value, offset, count_offset))
    return Struct(tuple(members), max(8, -end % 8 + end))
