"""The result of a leg, as a worker returns it, with its faults."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import ConfigDict, StringConstraints
from pydantic import Field as Limits

from tournament.arrays import Floats
from tournament.errors import truncate
from tournament.leg import MAX_SEATS, FailureKind, make_title
from tournament.store.leg_sums import LegSums

CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
# Maximum number of a leg's faults in the records, besides those that disqualify. Further ones are only counted.
_MAX_FAULTS = 20
# Maximum characters of a fault's message, question and output.
_MAX_MESSAGE, _MAX_QUESTION, _MAX_OUTPUT = 500, 1000, 2000
MAX_NUMBER, MAX_COUNT = (1 << 31) - 1, 10**15
# Exclusive bound of match numbers.
MATCH_BOUND = 1 << 53
MAX_AMOUNT, MAX_SQUARE = 1e15, 1e30

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.]{1,64}$")]
Text = Annotated[str, StringConstraints(max_length=100_000)]
_Seat = Annotated[int, Limits(ge=0, lt=MAX_SEATS)]
Number = Annotated[int, Limits(ge=0, le=MAX_NUMBER)]
Count = Annotated[int, Limits(ge=0, le=MAX_COUNT)]

# Numbers in a message, except line numbers: faults in different lines are of different kinds.
_NUMBER = re.compile(r"(?<!line )\b[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Fault:
    """A fault of a bot.

    Attributes:
        seat: Seat of the bot.
        session: Session of the match, from 0.
        game: Game of the session, from 0.
        decision: Name of the decision that the bot had to take.
        message: Description of the fault; in the records, at most 500 characters.
        question_text: The question's name and values, as text; in the records, at most 1,000 characters. "" if unknown.
        last_output: Last lines that the bot's process wrote to standard error; in the records, at most 2,000
            characters.
        kind: Kind of the fault; "other" in records of earlier versions, which lack it.
    """

    __pydantic_config__ = CHECKED

    seat: _Seat
    session: Number
    game: Number
    decision: Identifier
    message: Text
    question_text: Text = ""
    last_output: Text = ""
    kind: FailureKind = field(default="other", compare=False)

    @property
    def sort(self) -> tuple[str, str]:
        """Decision and message without numbers, which are the same for faults of one kind."""
        return self.decision, _NUMBER.sub("0", self.message)

    def bounded(self) -> Fault:
        """Return the fault with message, question and output cut after 500, 1,000 and 2,000 characters.

        The number of further characters is added to a text that is cut.
        """
        return replace(
            self,
            message=truncate(self.message, _MAX_MESSAGE),
            question_text=truncate(self.question_text, _MAX_QUESTION),
            last_output=truncate(self.last_output, _MAX_OUTPUT),
        )


class Used(NamedTuple):
    """Resources that a bot used in one or more legs. Only fuel is the same whenever the same games are played.

    Attributes:
        fuel: Fuel of a WebAssembly bot, to seven digits for a leg; 0 for a process.
        cpu_seconds: Processor time of a bot's process in seconds; 0 for WebAssembly. Legs that share a process share it
            evenly.
        memory_bytes: Peak memory in bytes. For WebAssembly, the size of the bot's memory without the stack.
        slowest_seconds: Longest time in seconds from a question to the answer of a bot's process; 0 for WebAssembly.
            Questions that are sent together share it evenly.
    """

    fuel: float = 0.0
    cpu_seconds: float = 0.0
    memory_bytes: float = 0.0
    slowest_seconds: float = 0.0


@dataclass(frozen=True)
class RareFields:
    """Rare fields of a leg: those of LegResult that have default values in nearly all legs.

    Attributes:
        faults: The first 20 faults, and the last fault of each disqualified seat, in order of play.
        disqualified_seats: Seats whose bots are disqualified, in ascending order.
        further_faults: Number of further faults of each seat; () if there are none.
        tries: How often the leg was started, at least once.

    Raises:
        ValueError: A disqualified seat has no fault.
    """

    faults: tuple[Fault, ...] = ()
    disqualified_seats: tuple[int, ...] = ()
    further_faults: tuple[int, ...] = ()
    tries: int = 1

    @classmethod
    def from_leg(cls, leg: LegResult) -> RareFields:
        """Return the rare fields of a leg."""
        return cls(leg.faults, leg.disqualified_seats, leg.further_faults if any(leg.further_faults) else (), leg.tries)

    def __post_init__(self) -> None:
        if not {*self.disqualified_seats} <= {fault.seat for fault in self.faults}:
            raise ValueError("a bot is disqualified for no fault")

    def fault_count(self, seat: int) -> int:
        """Return the number of faults of a seat, including those that are only counted."""
        further = self.further_faults[seat] if self.further_faults else 0
        return sum(fault.seat == seat for fault in self.faults) + further


# Shared by nearly all legs: a large field has half a million.
NO_RARE_FIELDS = RareFields()


@dataclass(frozen=True)
class LegResult:
    """The result of a leg.

    Attributes:
        digest: Hash of everything that the leg's games depend on, 32 bytes in hexadecimal.
        match: Number of the match.
        number: Number of the leg in its match, from 0.
        seats: Names of the bots, by seat.
        sessions: Number of sessions played.
        games: Number of games played.
        sums: Sums of each seat.
        faults: The first 20 faults, and the last fault of each disqualified seat, in order of play.
        disqualified_seats: Seats whose bots are disqualified in this leg, in ascending order. With one or two seats
            this ended the leg.
        further_faults: Number of further faults of each seat; () if there are none.
        house: Name of the house player, which has no seat; "" if there is none.
        seconds: Time in seconds that a worker took for the leg.
        tries: How often the leg was started, at least once. Answers of aborted attempts were used again.
        used: Resources that the bot of each seat used; () if unknown.
    """

    digest: str
    match: int
    number: int
    seats: tuple[str, ...]
    sessions: int
    games: int
    sums: tuple[LegSums, ...]
    faults: tuple[Fault, ...] = ()
    disqualified_seats: tuple[int, ...] = ()
    further_faults: tuple[int, ...] = ()
    house: str = ""
    seconds: float = field(default=0.0, compare=False, repr=False)
    tries: int = field(default=1, compare=False, repr=False)
    used: tuple[Used, ...] = field(default=(), compare=False, repr=False)

    @property
    def title(self) -> str:
        """Names of the players, as text."""
        return make_title(self.seats, self.house)

    def fault_count(self, seat: int) -> int:
        """Return the number of faults of a seat, including those that are only counted."""
        return RareFields(self.faults, self.disqualified_seats, self.further_faults).fault_count(seat)

    @property
    def ended_by(self) -> int | None:
        """Seat whose faults ended the leg, or None if it was played to its end, as with more than two seats."""
        return (
            self.disqualified_seats[0] if self.disqualified_seats and len(self.seats) <= SEATS_THAT_END_A_LEG else None
        )

    def opponents(self, seat: int) -> list[str]:
        """Return the names of the other bots of the leg, by seat, then that of the house player, if there is one."""
        return [name for other, name in enumerate(self.seats) if other != seat] + [self.house] * bool(self.house)

    def telling_fault(self, seat: int) -> Fault:
        """Return the fault to show as the reason for a disqualification: the first one of the most frequent kind.

        A fault that only follows from these, such as a restart without fuel, occurs just once. Of equally frequent
        kinds, that of the earliest fault counts. The seat must have a recorded fault.
        """
        seat_faults = [fault for fault in self.faults if fault.seat == seat]
        count = Counter(fault.sort for fault in seat_faults)
        return max(seat_faults, key=lambda fault: count[fault.sort])


def by_sort(faults: Iterable[tuple[LegResult, Fault]]) -> list[list[tuple[LegResult, Fault]]]:
    """Return faults with their legs, in groups of one bot and kind: bots by name, the most frequent kinds first.

    Equally frequent kinds of a bot, and the faults of a group, keep their order. A kind is that of `Fault.sort`.
    """
    groups: dict[tuple[str, str, str], list[tuple[LegResult, Fault]]] = {}
    for leg, fault in faults:
        groups.setdefault((leg.seats[fault.seat], *fault.sort), []).append((leg, fault))
    return [group for _, group in sorted(groups.items(), key=lambda item: (item[0][0], -len(item[1])))]


def select_faults(
    faults: Sequence[Fault], disqualified_seats: Collection[int], seats: int
) -> tuple[tuple[Fault, ...], tuple[int, ...]]:
    """Return the faults that the records keep, and the number of further faults of each seat.

    The records keep the first 20 faults of the leg, and the last fault of each disqualified seat.

    Args:
        faults: All faults of a leg in order.
        disqualified_seats: Seats whose bots are disqualified.
        seats: Number of seats.

    Returns:
        The faults to keep in order, with bounded texts, and the number of others by seat; () if there are no others.
    """
    last = {fault.seat: place for place, fault in enumerate(faults) if fault.seat in disqualified_seats}
    recorded = [fault for place, fault in enumerate(faults) if place < _MAX_FAULTS or last.get(fault.seat) == place]
    further = Counter(fault.seat for fault in faults) - Counter(fault.seat for fault in recorded)
    counts = tuple(further[seat] for seat in range(seats)) if further else ()
    return tuple(fault.bounded() for fault in recorded), counts


# With more seats, the other bots continue when a bot is disqualified.
SEATS_THAT_END_A_LEG = 2


def are_too_large(sums: Floats) -> npt.NDArray[np.bool_]:
    """Return for each leg whether a sum is NaN or too large for the records.

    Points can be from −1e15 to 1e15. The other sums can be at most 1e30.

    Args:
        sums: Sums by leg, seat and field of LegSums.
    """
    fits = (np.abs(sums[:, :, 0]) <= MAX_AMOUNT) & (sums[:, :, 1:] <= MAX_SQUARE).all(axis=2)
    return np.logical_not(fits.all(axis=1))
