"""The result of a leg, as a worker hands it over, and what went wrong in it."""

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
from tournament.leg import MOST_SEATS, FailureKind, title_of
from tournament.store.leg_sums import LegSums

CHECKED = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
_MOST_FAULTS = 20  # of a leg, kept one by one
_MOST_WHAT, _MOST_ASKED, _MOST_COMPLAINTS = 500, 1000, 2000  # characters of a fault's texts
MOST_NUMBER, MOST_COUNT = (1 << 31) - 1, 10**15
MOST_MATCH = 1 << 53  # numbers of matches are below
MOST_AMOUNT, MOST_SQUARE = 1e15, 1e30

Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.]{1,64}$")]
Text = Annotated[str, StringConstraints(max_length=100_000)]
_Seat = Annotated[int, Limits(ge=0, lt=MOST_SEATS)]
Number = Annotated[int, Limits(ge=0, le=MOST_NUMBER)]
Count = Annotated[int, Limits(ge=0, le=MOST_COUNT)]

# Numbers except those of lines, which tell sorts apart.
_NUMBER = re.compile(r"(?<!line )\b[0-9]+(?:[.,][0-9]+)*(?:e[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Fault:
    """One fault of the bot at `seat`, where it happened and what it was. `question_text`: the question by its
    name, with all that it told. `last_output`: the last lines that its process wrote to standard error. `kind` follows
    from what it was; records of earlier versions have none."""

    __pydantic_config__ = CHECKED

    seat: _Seat
    session: Number
    game: Number
    decision: Word
    message: Text
    question_text: Text = ""
    last_output: Text = ""
    kind: FailureKind = field(default="other", compare=False)

    @property
    def sort(self) -> tuple[str, str]:
        """What alike faults have in common: the question, and the fault without its numbers."""
        return self.decision, _NUMBER.sub("0", self.message)

    def bounded(self) -> Fault:
        """The fault with its texts cut to what the records keep of them."""
        return replace(
            self,
            message=truncate(self.message, _MOST_WHAT),
            question_text=truncate(self.question_text, _MOST_ASKED),
            last_output=truncate(self.last_output, _MOST_COMPLAINTS),
        )


class Used(NamedTuple):
    """What a bot used in a leg, or in several. Only fuel is the same whenever the same games are played.

    Attributes:
        fuel: Fuel of a bot that is WebAssembly, to seven digits for a leg.
        cpu_seconds: Processor time of a bot that is a process. Legs that share a process share it evenly.
        memory_bytes: Most memory at once. Of WebAssembly, the size of its memory without the stack.
        slowest_seconds: Time from a question to its answer, at most, of a bot that is a process. Questions that are
            sent together share it evenly.
    """

    fuel: float = 0.0
    cpu_seconds: float = 0.0
    memory_bytes: float = 0.0
    slowest_seconds: float = 0.0


@dataclass(frozen=True)
class Rest:
    """Fields that few legs have: see LegResult."""

    faults: tuple[Fault, ...] = ()
    out: tuple[int, ...] = ()
    faults_left_out: tuple[int, ...] = ()
    tries: int = 1

    @classmethod
    def of(cls, leg: LegResult) -> Rest:
        """Those of a leg."""
        return cls(leg.faults, leg.out, leg.faults_left_out if any(leg.faults_left_out) else (), leg.tries)

    def __post_init__(self) -> None:
        if not {*self.out} <= {fault.seat for fault in self.faults}:
            raise ValueError("a bot is disqualified for no fault")

    def fault_count(self, seat: int) -> int:
        """How many faults a seat had, including those left out."""
        left_out = self.faults_left_out[seat] if self.faults_left_out else 0
        return sum(fault.seat == seat for fault in self.faults) + left_out


NO_REST = Rest()  # as of nearly all legs, of which a large field has half a million


@dataclass(frozen=True)
class LegResult:
    """A played leg: who, by seat, and what each has won. A `house` player, "" for none, has no seat.

    `out` are the seats whose bots are disqualified in it, in ascending order; with one and two seats that ended the
    leg. `faults` are the first ones, and the last one of each seat in `out`; `faults_left_out` counts the others by
    seat, if there are any.
    `seconds`: how long a worker was busy with it; `used`: what each seat's bot used. `tries`: how often it began; what
    was answered before it broke off counted again.
    """

    digest: str
    match: int
    number: int
    seats: tuple[str, ...]
    sessions: int
    games: int
    sums: tuple[LegSums, ...]
    faults: tuple[Fault, ...] = ()
    out: tuple[int, ...] = ()
    faults_left_out: tuple[int, ...] = ()
    house: str = ""
    seconds: float = field(default=0.0, compare=False, repr=False)
    tries: int = field(default=1, compare=False, repr=False)
    used: tuple[Used, ...] = field(default=(), compare=False, repr=False)

    @property
    def title(self) -> str:
        """Who plays, as text."""
        return title_of(self.seats, self.house)

    def fault_count(self, seat: int) -> int:
        """How many faults a seat had, including those left out."""
        return Rest(self.faults, self.out, self.faults_left_out).fault_count(seat)

    @property
    def ended_by(self) -> int | None:
        """The seat whose faults ended the leg; None if it was played to its end."""
        return self.out[0] if self.out and len(self.seats) <= SEATS_THAT_END_A_LEG else None

    def opponents(self, seat: int) -> list[str]:
        """Whom the bot of a seat met: the others at the table, or else the house player."""
        return [name for other, name in enumerate(self.seats) if other != seat] + [self.house] * bool(self.house)

    def telling_fault(self, seat: int) -> Fault:
        """Return the fault to show as the reason for a disqualification: the first one of the most frequent kind.

        A fault that only follows from these, such as a restart without fuel, occurs just once.
        """
        own = [fault for fault in self.faults if fault.seat == seat]
        often = Counter(fault.sort for fault in own)
        return max(own, key=lambda fault: often[fault.sort])


def by_sort(faults: Iterable[tuple[LegResult, Fault]]) -> list[list[tuple[LegResult, Fault]]]:
    """Faults with their legs, in groups that are alike: by bot, the most frequent first."""
    sorts: dict[tuple[str, str, str], list[tuple[LegResult, Fault]]] = {}
    for leg, fault in faults:
        sorts.setdefault((leg.seats[fault.seat], *fault.sort), []).append((leg, fault))
    return [alike for _, alike in sorted(sorts.items(), key=lambda item: (item[0][0], -len(item[1])))]


def kept_faults(faults: Sequence[Fault], out: Collection[int], seats: int) -> tuple[tuple[Fault, ...], tuple[int, ...]]:
    """What the records keep of a leg's faults, and how many of each seat it leaves out.

    Kept are the first ones, and the last one of each seat that is `out`.
    """
    last = {fault.seat: place for place, fault in enumerate(faults) if fault.seat in out}
    kept = [fault for place, fault in enumerate(faults) if place < _MOST_FAULTS or last.get(fault.seat) == place]
    left_out = Counter(fault.seat for fault in faults) - Counter(fault.seat for fault in kept)
    counts = tuple(left_out[seat] for seat in range(seats)) if left_out else ()
    return tuple(fault.bounded() for fault in kept), counts


SEATS_THAT_END_A_LEG = 2  # with more of them the others play on when a bot is disqualified


def are_too_large(sums: Floats) -> npt.NDArray[np.bool_]:
    """Return whether the sums of each leg, by seat and field, are beyond what records hold, or NaN."""
    fit = (np.abs(sums[:, :, 0]) <= MOST_AMOUNT) & (sums[:, :, 1:] <= MOST_SQUARE).all(axis=2)
    return np.logical_not(fit.all(axis=1))
