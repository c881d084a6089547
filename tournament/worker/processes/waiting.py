"""Legs with processes that wait to be played, and in which order they begin."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from tournament.leg import PROCESSES, Leg
from tournament.worker.processes.pool import Player
from tournament.worker.processes.turns import Turn, Turns

# How soon to look whether other workers have given turns back.
_LOOK_SECONDS = 0.05


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
    """The legs of a worker that are to begin, and the turns that it has."""

    def __init__(self, legs: Iterable[WaitingLeg], turns: Turns) -> None:
        self._legs = deque(legs)
        self._turns = turns
        self._given_back, self._look_again = 0, 0.0

    def __len__(self) -> int:
        return len(self._legs)

    def add(self, leg: WaitingLeg) -> None:
        """Put a leg at the end."""
        self._legs.append(leg)

    def take_next(self) -> WaitingLeg | None:
        """Remove and return the first leg whose turns can be had, which it has from now on."""
        now = time.monotonic()
        if self._turns.given_back == self._given_back and now < self._look_again:
            return None
        for leg in self._legs:
            if self._turns.take(leg.turns):
                self._legs.remove(leg)
                return leg
        self._given_back, self._look_again = self._turns.given_back, now + _LOOK_SECONDS
        return None

    def put_back(self, leg: WaitingLeg) -> None:
        """Put a leg that can't begin now at the beginning, without its turns."""
        self._turns.give_back(leg.turns)
        self._legs.appendleft(leg)

    def keep(self, digests: Set[str]) -> None:
        """Forget all legs but those with these digests."""
        self._legs = deque(leg for leg in self._legs if leg.leg.digest in digests)
