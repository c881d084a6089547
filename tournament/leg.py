"""A leg: the smallest unit of work, as schedule, workers and game cores know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from tournament.keys import helpers_key, partner_seed

# The way in which a player is run: inside the worker, in a process that its legs share, in a process for each leg,
# or by the game's core itself. The caller of a training environment answers for a seat that is open.
# A bot that is out doesn't play: at tables of three and more default answers stand in for it.
PlaysAs = Literal["wasm", "python", "program", "house", "out", "caller"]
MAX_SEATS = 64
PROCESSES: frozenset[PlaysAs] = frozenset(("python", "program"))


# The kind of a bot's failure. A call took more fuel than its limit, its process was silent for too long or used up its
# time, it couldn't start, or it wrote a line that is no answer.
FailureKind = Literal["fuel", "silence", "time", "start", "line", "other"]


TOO_SLOW = "it loops or is too slow"
# Kinds of a bot that takes too long.
TIME_KINDS: frozenset[FailureKind] = frozenset(("fuel", "silence", "time"))


@dataclass(frozen=True)
class Failure:
    """A bot's failure as text, and its kind.

    Attributes:
        what: The failure, as part of a sentence about the bot.
        kind: "fuel", "silence" or "time" for a bot that takes too long, "start", "line" for an answer that can't be
            read, or "other".
    """

    what: str
    kind: FailureKind = "other"


class Unfit(Exception):
    """Raised for a bot that can't play. The message is the reason.

    Attributes:
        kind: Kind of failure.
        is_permanent: Whether it would fail again, on any machine like this one.
    """

    def __init__(self, why: str, kind: FailureKind = "other", *, is_permanent: bool = True) -> None:
        super().__init__(why)
        self.kind, self.is_permanent = kind, is_permanent

    @property
    def failure(self) -> Failure:
        """The failure without an exception."""
        return Failure(str(self), self.kind)


def cant_start(why: str, kind: FailureKind = "start", *, is_permanent: bool = False) -> Unfit:
    """Return the error of a bot that can't start a leg, with the reason. It isn't raised here.

    Args:
        why: The reason.
        kind: Kind of failure.
        is_permanent: Whether the bot would fail again, on any machine like this one.
    """
    return Unfit(f"can't start: {why}", kind, is_permanent=is_permanent)


MORE_MEMORY = "; raise memory_megabytes"


def memory_failure(megabytes: int) -> Failure:
    """Return the failure of a bot that has exceeded its limit of memory, with what allows more."""
    return Failure(f"ran out of memory ({megabytes} MB{MORE_MEMORY})")


def legs_per_replica(settings: Mapping[str, object], seats: int = 2) -> int:
    """Return the number of legs of a match in each replica: one for each seat if it is duplicate, otherwise 1."""
    return seats if settings.get("duplicate") else 1


def make_title(seats: Sequence[str], house: str = "") -> str:
    """Return the players as text: names by seat, then the house player's, which is "" if there is none.

    Two are joined by "against", more by commas.
    """
    players = [*seats, house] if house else seats
    return (" against " if len(players) == 2 else ", ").join(players)


_Number = TypeVar("_Number", int, npt.NDArray[np.int64])


def match_number(first: _Number, second: _Number) -> _Number:
    """Return the number of the match between two entrants, from 0: triangular, so that new bots change no number.

    Args:
        first: Number of one entrant, or an array of them, from 0.
        second: Number of another one, or an array. The order of the two doesn't matter.
    """
    high: _Number = (first + second + abs(first - second)) // 2
    number: _Number = high * (high - 1) // 2 + (first + second - high)
    return number


def house_match_number(entrant: _Number, house: _Number) -> _Number:
    """Return the number of an entrant's match against a house player, so that new bots and players change no number.

    Both have numbers from 0, each of its own kind, or are arrays of them.

    Matches are numbered by growing squares (M. Szudzik, "An Elegant Pairing Function", 2006).
    """
    larger: _Number = (entrant + house + abs(entrant - house)) // 2
    number: _Number = larger * larger + entrant + house * (entrant >= house)
    return number


class LegPlan(NamedTuple):
    """The parameters of a leg that its core needs.

    Attributes:
        match: Number of the match.
        number: Number of the leg in the match, from 0.
        sessions: Sessions to play, recorded starting at `first_session`.
        deals_key: Key of all that is dealt.
        seats: Number of seats.
        rotation: Distance by which bots are moved from the positions that the key draws. Of two seats, 1 means that the
            second one comes first in the leg's first session.
        replica: Number of the replica, from 0.
    """

    match: int
    number: int
    sessions: int
    deals_key: bytes
    seats: int = 2
    rotation: int = 0
    replica: int = 0

    @property
    def first_session(self) -> int:
        """Number of its first session in the match, from 0."""
        return self.number * self.sessions

    @property
    def seats_swapped(self) -> bool:
        """True if the second of two seats comes first."""
        return self.rotation == 1

    @property
    def for_core(self) -> dict[str, Any]:
        """The plan as arguments of a core, by name."""
        return {
            "deals_key": self.deals_key,
            "sessions": self.sessions,
            "match": self.match,
            "first_session": self.first_session,
        }


class Seat(NamedTuple):
    """A player in a leg: its name, its kind, the sha256 of its artifact, and the 64-bit start of its rand().

    The kind "out" is that of a disqualified bot, for which default answers stand in.
    """

    name: str
    kind: PlaysAs
    artifact: str
    random_seed: int

    @property
    def helpers_key(self) -> bytes:
        """Key of 32 bytes with which the contest's helpers draw for it."""
        return helpers_key(self.random_seed)


@dataclass(frozen=True)
class Leg:
    """The smallest unit of work. Its digest determines every byte of its records.

    Attributes:
        digest: Digest in hex of all that the leg's records follow from.
        plan: The parameters for its core.
        seats: The entrants' seats by number. A house player has none.
        house: The house player, None in a contest without one.
        is_trial: Whether a bot is tried in it: then its first fault of time disqualifies it, because a bot that loops
            would only do so again.
        members: How many of the seats in a row are one entrant's, each with a bot of its own: 1, but for a leg of teams
            on its worker.
    """

    digest: str
    plan: LegPlan
    seats: tuple[Seat, ...]
    house: Seat | None = None
    is_trial: bool = False
    members: int = 1

    def with_team_seats(self, members: int) -> Leg:
        """Return the leg as its worker plays it, with a seat for each of the bots that an entrant has."""
        if members == 1:
            return self
        seats = [
            seat._replace(random_seed=partner_seed(seat.random_seed, index))
            for seat in self.seats
            for index in range(members)
        ]
        return replace(self, seats=tuple(seats), members=members)

    @property
    def entrants(self) -> tuple[str, ...]:
        """The names of the entrants by seat, each once, even for a team."""
        return self.names[:: self.members]

    @property
    def players(self) -> tuple[Seat, ...]:
        """The entrants by seat, then the house player."""
        return self.seats if self.house is None else (*self.seats, self.house)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The entrants' names by seat. A team's is there once for each of its bots on the worker."""
        return tuple([seat.name for seat in self.seats])

    @property
    def out(self) -> tuple[int, ...]:
        """The seats of bots that were disqualified in an earlier leg. Default answers stand in for them."""
        return tuple([number for number, seat in enumerate(self.seats) if seat.kind == "out"])

    @property
    def title(self) -> str:
        """The players as text."""
        return make_title(self.names, self.house.name if self.house else "")

    @cached_property
    def has_processes(self) -> bool:
        """True if one of its bots, without a house player, is a process."""
        return not PROCESSES.isdisjoint([seat.kind for seat in self.seats])
