"""Probation: a bot that is disqualified in its first leg plays no other.

Legs are gone through in the order of the schedule, whatever was played first. A bot is on probation until one of its
legs ended without a disqualification. One that is disqualified on probation is out: none of its later legs counts. So
the results of legs alone say which legs there are, on any number of machines and after any crash.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Protocol

# How a leg ended: by faults of the seat of this number, or otherwise.
UNKNOWN, NOT_ENDED = -2, -1


class _AnyLeg(Protocol):
    """A leg, or a fixture."""

    @property
    def digest(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...


class Probation:
    """Is told of legs in order. `proven` are the entrants known to have passed, `out` those disqualified before that;
    who has a leg that isn't known yet passes until it is. All of one's further legs count once it is `settled`."""

    def __init__(self) -> None:
        self.settled: set[str] = set()
        self.proven: set[str] = set()
        self.out: set[str] = set()

    def passes(self, entrants: tuple[str, ...], end: int) -> bool:
        """Whether the next leg counts, which has these entrants and ended so, or is `UNKNOWN`."""
        if not self.out.isdisjoint(entrants):
            return False
        if end >= 0 and entrants[end] not in self.settled:
            self.out.add(entrants[end])
        elif end == NOT_ENDED:
            self.proven.update(name for name in entrants if name not in self.settled)
        if end < 0:
            self.settled.update(entrants)
        return True


class OnTrial:
    """Of the legs of a task, in order of the schedule, those that a worker plays: whoever of these entrants is
    disqualified in one, and hasn't passed one before it, plays none that come after. The others go out again if they
    count after all: the driver knows. What isn't played once never is."""

    def __init__(self, legs: Sequence[_AnyLeg], entrants: Collection[str]) -> None:
        self._place = {leg.digest: place for place, leg in enumerate(legs)}
        self._last: dict[str, float] = dict.fromkeys(entrants, math.inf)
        self._passed: dict[str, int] = {}

    def note(self, leg: _AnyLeg, ended_by: int | None) -> None:
        """A leg has ended, by faults of this seat or None."""
        place, entrants = self._place[leg.digest], leg.names
        if ended_by is None:
            for name in entrants:
                self._passed[name] = min(self._passed.get(name, place), place)
        elif (name := entrants[ended_by]) in self._last and self._passed.get(name, place) >= place:
            self._last[name] = min(self._last[name], place)

    def plays(self, leg: _AnyLeg) -> bool:
        return all(self._place[leg.digest] <= self._last.get(name, math.inf) for name in leg.names)
