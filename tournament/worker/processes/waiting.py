"""Legs with processes that wait to be played, and in which order they begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tournament.leg import PROCESSES, Leg
from tournament.worker.processes.pool import Player
from tournament.worker.processes.turns import Turn, Turns


@dataclass(eq=False)
class WaitingLeg:
    """A leg to be played from its beginning, in its `turns`. `alone`: the seats whose bots must not share a process.

    `by_itself`: no other may play beside it on this machine, since a process of its own was killed from outside.
    """

    leg: Leg
    turns: frozenset[Turn]
    alone: set[int] = field(default_factory=set)
    by_itself: bool = False

    def new_players(self) -> list[Player]:
        """Its bots that are processes, not yet started."""
        seats = enumerate((self.leg.x, self.leg.y))
        return [Player(number, seat, number in self.alone) for number, seat in seats if seat.kind in PROCESSES]


class WaitingLegs:
    """The legs of a task that are to begin, and the turns of those that have begun."""

    def __init__(self, legs: Iterable[WaitingLeg], turns: Turns) -> None:
        self._legs = deque(legs)
        self._turns = turns
        self._given_back = -1

    def __len__(self) -> int:
        return len(self._legs)

    def add(self, leg: WaitingLeg) -> None:
        """Put a leg at the end."""
        self._legs.append(leg)
        self._given_back = -1

    def take_next(self) -> WaitingLeg | None:
        """Remove and return the first leg whose turns can be had, which it has from now on."""
        for leg in self._legs if self._turns.given_back != self._given_back else ():
            if self._turns.take(leg.turns):
                self._legs.remove(leg)
                return leg
        self._given_back = self._turns.given_back  # until then another look is of no use
        return None

    def put_back(self, leg: WaitingLeg) -> None:
        """Put a leg that can't begin now at the beginning, without its turns."""
        self._turns.give_back(leg.turns)
        self._legs.appendleft(leg)
        self._given_back = -1

    def keep(self, plays: Callable[[Leg], bool]) -> None:
        """Forget all legs but those that are to be played."""
        self._legs = deque(leg for leg in self._legs if plays(leg.leg))
