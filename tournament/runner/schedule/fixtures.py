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
    """An entrant that can play, or a house player.

    Attributes:
        number: Permanent number among the entrants or among the house players, from 0.
        name: Name of the player.
        kind: How it plays: "wasm", "python" or "program" for an entrant, "house" for a house player.
        artifact: sha256 of what plays, in hex.
        author: Author of an entrant, whose bots share no drawn table. It is "" if that doesn't matter, the default.
        is_house: Whether it is an entrant that is one of the host's own bots, by default not.
    """

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
        match: Number of the match.
        number: Number of the leg in its match, from 0. Later replicas continue the numbers.
        digest: Digest of the leg, in hex.
        seats: Entrants by seat. A house player has none.
        house: The house player; None if there is none.
        out: Seats of bots that were disqualified in an earlier leg, ascending. Empty with one or two seats.
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
        """True if one of its bots that aren't out is a process."""
        return not PROCESSES.isdisjoint([seat.kind for number, seat in enumerate(self.seats) if number not in self.out])


@dataclass(frozen=True)
class Replicas:
    """The number of replicas of each match. They are independent, with other deals and fresh memory.

    Attributes:
        of_all: Minimum number of replicas of a match.
        more: Numbers of replicas of matches that have more, by the match's number. Empty by default. It must not be
            changed. Numbers below `of_all` don't count.
    """

    of_all: int = 1
    more: Mapping[int, int] = field(default_factory=dict)

    def of(self, match: int) -> int:
        """Return the number of replicas of a match."""
        return max(self.of_all, self.more.get(match, 0))

    @property
    def most(self) -> int:
        """Largest number of replicas of a match."""
        return max(self.of_all, *self.more.values()) if self.more else self.of_all


ONE_REPLICA = Replicas()


class MatchLegs(NamedTuple):
    """A match in a replica.

    Attributes:
        match: Number of the match.
        numbers: Numbers of its legs in the replica, ascending.
        seats: Entrants by seat.
        house: The house player; None if there is none.
    """

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
    """Matches in replicas as columns, because a large field has half a million.

    Rows are ordered by replica, in each by match.

    Attributes:
        match: Numbers of the matches.
        replica: Numbers of the replicas, from 0.
        players: The players, as in `MatchLegs.players`, a row for each match. They are given as indices in
            `Schedule.players`.
    """

    match: Ints
    replica: Ints
    players: npt.NDArray[np.int32]
