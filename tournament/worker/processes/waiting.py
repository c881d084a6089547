"""Legs with processes that wait to be played, and in which order they begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tournament.errors import RunFailed
from tournament.leg import PROCESSES, Leg
from tournament.sandbox.outside.endings import kills_for_memory
from tournament.worker.processes.pool import Player
from tournament.worker.processes.turns import Turn, Turns

# How often a leg is begun again because a process of it was killed from outside.
_MOST_KILLS = 20


@dataclass(eq=False)
class WaitingLeg:
    """A leg to be played from its beginning, in its `turns`. `alone`: the seats whose bots must not share a process.

    `kills`: how often a process of the leg was killed from outside. `by_itself`: no other may play beside it on this
    machine, since a process of its own was; `memory_kills` is what the system's count was when it began.
    """

    leg: Leg
    turns: frozenset[Turn]
    alone: set[int] = field(default_factory=set)
    kills: int = 0
    by_itself: bool = False
    memory_kills: int = 0

    def new_players(self) -> list[Player]:
        """Its bots that are processes, not yet started."""
        seats = enumerate((self.leg.x, self.leg.y))
        return [Player(number, seat, number in self.alone) for number, seat in seats if seat.kind in PROCESSES]

    def check_kills(self, name: str) -> None:
        """Raise RunFailed when it is of no use to begin it again after the process of this bot was killed."""
        against = f"{self.leg.x.name} against {self.leg.y.name}"
        if self.by_itself and kills_for_memory() > self.memory_kills:
            raise RunFailed(
                f"this machine has too little memory to play {against}: the system ended the process of {name}"
                " though no others played; set a lower memory_megabytes, or give the tournament more"
            )
        if self.kills >= _MOST_KILLS:
            raise RunFailed(
                f"something on this machine ends bots' processes: that of {name} was killed {self.kills + 1}"
                f" times while it played {against}; end that, and run again"
            )


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
