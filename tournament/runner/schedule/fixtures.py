"""Competitors, and the legs and matches of a schedule before their keys are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.leg import PROCESSES, PlaysAs


@dataclass(frozen=True)
class Competitor:
    """An entrant who can play, or a house player, with a permanent number. Drawn tables have no two of one author."""

    number: int
    name: str
    kind: PlaysAs
    artifact: str
    author: str = ""
    is_house: bool = False


# The entrants of a match, by the number of their seats.
Seats = tuple[Competitor, ...]


class Fixture(NamedTuple):
    """A leg of a schedule before its keys are computed. Most legs are played already.

    Attributes:
        seats: Entrants by number. A house player has none.
        out: Seats of bots that were disqualified in an earlier leg, at tables of three and more.
    """

    match: int
    number: int
    digest: str
    seats: Seats
    house: Competitor | None = None
    out: tuple[int, ...] = ()

    @property
    def players(self) -> Seats:
        """The entrants by seat, then the house player."""
        return self.seats if self.house is None else (*self.seats, self.house)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names by seat."""
        return tuple(seat.name for seat in self.seats)

    @property
    def has_processes(self) -> bool:
        """True if one of its bots is a process."""
        return not PROCESSES.isdisjoint([seat.kind for number, seat in enumerate(self.seats) if number not in self.out])


@dataclass(frozen=True)
class Replicas:
    """The replicas of each match: independent, of the stated length, with other deals and fresh memory.

    Attributes:
        more: Matches with more than the others, by their numbers.
    """

    of_all: int = 1
    more: Mapping[int, int] = field(default_factory=dict)

    def of(self, match: int) -> int:
        """Return the replicas of a match."""
        return max(self.of_all, self.more.get(match, 0))

    @property
    def most(self) -> int:
        """Largest number of replicas."""
        return max(self.of_all, *self.more.values()) if self.more else self.of_all


ONE_REPLICA = Replicas()


class MatchLegs(NamedTuple):
    """A match in a replica: its number, the numbers of its legs there, and who plays."""

    match: int
    numbers: range
    seats: Seats
    house: Competitor | None = None

    @property
    def players(self) -> Seats:
        """The entrants by seat, then the house player."""
        return self.seats if self.house is None else (*self.seats, self.house)


@dataclass(frozen=True, eq=False)
class MatchColumns:
    """Matches in replicas as columns: a large field has half a million.

    Attributes:
        match: The number of each.
        replica: The number of the replica.
        players: Who plays, as in `MatchLegs.players`, by their places among the schedule's competitors and then its
            house players.
    """

    match: Ints
    replica: Ints
    players: npt.NDArray[np.int32]
