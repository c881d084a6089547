"""Probation: a bot that is disqualified in its first leg plays no other.

Legs are gone through in the order of the schedule, whatever was played first. A bot is on probation until one of its
legs ended without a disqualification. One that is disqualified on probation is out: none of its later legs counts. So
the results of legs alone say which legs there are, on any number of machines and after any crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from tournament.leg import PlaysAs

_UNKNOWN = -1


class _Player(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> PlaysAs: ...


class _AnyLeg(Protocol):
    """A leg, or a fixture."""

    @property
    def digest(self) -> str: ...
    @property
    def x(self) -> _Player: ...
    @property
    def y(self) -> _Player: ...


_L = TypeVar("_L", bound=_AnyLeg)


def entrants_of(leg: _AnyLeg) -> tuple[str, ...]:
    """The names of a leg's entrants. House players, who may have the same names, are never disqualified."""
    return (leg.x.name,) if leg.y.kind == "house" else (leg.x.name, leg.y.name)


class Probation:
    """Goes through legs in order. `ends` has the seat that ended each known leg by its faults, or None, by digest.

    `proven` are the entrants known to have passed, `out` those disqualified before that. Who has a leg that isn't
    known yet passes until it is.
    """

    def __init__(self, ends: Mapping[str, int | None], proven: Iterable[str] = ()) -> None:
        self._ends = ends
        self._open: set[str] = set()
        self.proven = set(proven)
        self.out: set[str] = set()

    def legs(self, legs: Iterable[_L]) -> Iterator[_L]:
        """Those of the legs that count, in order. A leg's end is looked up once the next leg is asked for."""
        proven = self.proven
        for leg in legs:
            if leg.x.name in proven and leg.y.name in proven:  # nearly all: who has passed is never out
                yield leg
                continue
            names = entrants_of(leg)
            if not self.out.isdisjoint(names):
                continue
            yield leg
            end = self._ends.get(leg.digest, _UNKNOWN)
            if end == _UNKNOWN:
                self._open.update(names)
            elif end is None:
                proven.update(name for name in names if name not in self._open)
            elif names[end] not in self._open and names[end] not in proven:
                self.out.add(names[end])
