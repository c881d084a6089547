"""Legs with processes that wait to be played, in which order they begin, and what counts of those that broke off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tournament.leg import Failure, Leg


@dataclass(frozen=True)
class KeptFailure:
    """A failure of a process in a leg that broke off.

    Attributes:
        failure: What the bot did.
        printed: The end of the bot's output, b"" for none.
        has_ended: Whether its process ended.
    """

    failure: Failure
    printed: bytes
    has_ended: bool


@dataclass(frozen=True)
class BrokenLeg:
    """A leg that broke off. When it begins again, its bots are asked the same questions, and these answers count.

    Attributes:
        tries: How often the leg has begun, 0 if it never did.
        answers: The answers that counted, as `engine.processes.lanes` keeps them. b"" if there were none.
        values: Those answers that aren't whole numbers, in order.
        failures: The failures of processes, in order.
    """

    tries: int = 0
    answers: bytes = b""
    values: tuple[object, ...] = ()
    failures: tuple[KeptFailure, ...] = ()


# Legs that broke off, by digest.
BrokenLegs = dict[str, BrokenLeg]


@dataclass(eq=False)
class WaitingLeg:
    """A leg to be played from its beginning.

    Attributes:
        leg: The leg, with a seat for each bot of a team.
        alone: Numbers of the seats whose bots must not share a process. Empty by default. It grows as processes fail.
        later: Whether it follows a leg with the same deals, by default not.
    """

    leg: Leg
    alone: set[int] = field(default_factory=set)
    later: bool = False


class LegQueue:
    """The legs of a task that are to begin.

    If two legs have the same deals, as in a duplicate match, the later one waits until the earlier one and its
    processes have ended. Otherwise a bot could learn the cards.

    Args:
        legs: The legs, in the order in which they are to begin.
    """

    def __init__(self, legs: Iterable[Leg]) -> None:
        self._legs: deque[WaitingLeg] = deque()
        self._later: dict[tuple[bytes, str], list[Leg]] = {}
        for leg in legs:
            if (key := _deals_key(leg)) in self._later:
                self._later[key].append(leg)
            else:
                self._later[key] = []
                self._legs.append(WaitingLeg(leg))

    def __len__(self) -> int:
        return len(self._legs)

    @property
    def more_come(self) -> bool:
        """True if some legs wait, or will once others have ended."""
        return bool(self._legs) or any(self._later.values())

    def add(self, leg: WaitingLeg) -> None:
        """Put a leg at the end."""
        self._legs.append(leg)

    def take_next(self) -> WaitingLeg | None:
        """Remove and return the first leg, or return None if none waits."""
        return self._legs.popleft() if self._legs else None

    def put_back(self, leg: WaitingLeg) -> None:
        """Put a leg that can't begin now at the beginning."""
        self._legs.appendleft(leg)

    def ended(self, leg: Leg) -> None:
        """Add the next leg with the same deals as one that has ended with its processes, if there is one, at the end.

        The leg that has ended must be one of the queue's, or one with new deals, for which nothing happens.
        """
        if later := self._later.get(_deals_key(leg)):
            self.add(WaitingLeg(later.pop(0), later=True))

    def keep(self, plays: Callable[[Leg], bool]) -> None:
        """Forget all legs except those that `plays` accepts, those that wait for others included."""
        self._legs = deque(leg for leg in self._legs if plays(leg.leg))
        for later in self._later.values():
            later[:] = filter(plays, later)


def _deals_key(leg: Leg) -> tuple[bytes, str]:
    """Return a key that legs of one match with the same deals share.

    Against house players, legs of other bots have these deals, too. So the first seat's name is part of the key.
    """
    return leg.plan.deals_key, leg.names[0]
