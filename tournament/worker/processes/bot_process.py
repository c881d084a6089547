"""A bot's process with its clocks, and its limits of time, memory and threads."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from typing import Protocol

from engine.processes.lanes import Lanes
from tournament.contests.bots import Dialogue
from tournament.contests.settings import ContestSettings, ProcessTime
from tournament.leg import TOO_SLOW, Failure, Leg, Seat, memory_failure
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import how_it_ended
from tournament.sandbox.outside.process_time import ProcessClock, ProcessUse
from tournament.store.leg_result import Used

# Seconds of processor time that a process can take to start, beyond the limit of a decision. It can also sleep at least
# this long.
START_SECONDS = 5.0
# Maximum seconds that count between two audits. If one comes late, this process or the machine might have been stopped.
_MAX_TICK, _LONGEST_NAP = 0.2, 0.1
# Language runtimes start some threads of their own; no bot needs more than this.
_MAX_THREADS = 128
_MEASURE_SECONDS = 0.05
# Said of a program that waits while its answers lie in a buffer of its own.
_NO_LINE = "; it wrote no complete line at all: does it flush its output? (flush=True in Python, fflush(stdout) in C)"


class Timed(Protocol):
    """A running process's measurements, as in `Confined`."""

    def use(self) -> ProcessUse:
        """Return what the process has used of the machine so far."""

    def cpu_seconds(self) -> float:
        """Return the processor time so far, in seconds, 0 once the process has ended."""

    def has_written(self) -> bool:
        """Return whether output waits to be read."""


@dataclass
class Spent:
    """The usage of a process's legs.

    Attributes:
        legs: Number of legs that the process ever had.
        decisions: Number of their decisions.
        cpu_seconds: Processor seconds of earlier processes of the legs that it has now.
        idle_seconds: Seconds that these processes slept while an answer was due.
    """

    legs: int = 0
    decisions: int = 0
    cpu_seconds: float = 0.0
    idle_seconds: float = 0.0


@dataclass(frozen=True)
class _Message:
    """An unanswered message.

    Attributes:
        number: Number of the message.
        is_start: Whether the bot still starts.
        cpu: Processor seconds of the process when the message was first seen.
        slept: Seconds that the process had slept by then.
    """

    number: int
    is_start: bool
    cpu: float
    slept: float


class TimeLimits:
    """One process's clocks from audit to audit.

    Args:
        allowed: The limits, in seconds of processor time and of sleep.
        process: The process to measure.
    """

    def __init__(self, allowed: ProcessTime, process: Timed) -> None:
        self._allowed = allowed
        self._process = process
        self._clocks = ProcessClock(process.use, _LONGEST_NAP)
        self._message: _Message | None = None

    @property
    def idle_seconds(self) -> float:
        """Total seconds that this process slept while an answer was due, up to the last audit."""
        return self._clocks.slept

    def rest(self) -> None:
        """Record that no answer is due. The limits of the next message start from then."""
        self._message = None

    def overdrawn(self, spent: Spent) -> Failure | None:
        """Return the violation if the bank of processor time is used up, otherwise None.

        Threads can use it while no answer is due.

        Args:
            spent: Usage of all legs that the process ever had.
        """
        self._clocks.note(self._process.cpu_seconds())
        return self._beyond_its_bank(spent)

    def _bank(self, spent: Spent) -> float:
        """Return the processor seconds of all legs, at least one, with the increments of their decisions."""
        return max(1, spent.legs) * self._allowed.bank + spent.decisions * self._allowed.increment

    def _beyond_its_bank(self, spent: Spent) -> Failure | None:
        """Return the violation if the noted processor time exceeds the bank and START_SECONDS, otherwise None."""
        bank = self._bank(spent)
        if self._clocks.cpu + spent.cpu_seconds <= bank + START_SECONDS:
            return None
        return Failure(f"used up its processor time ({bank:.1f} s for {spent.decisions:,} decisions)", "time")

    def exceeded(self, number: int, is_start: bool, elapsed: float, spent: Spent) -> Failure | None:
        """Sample the clocks, and return the exceeded limit, or None.

        For a new message only the limits of complete legs are checked. The kind is "silence" for a bot that slept too
        long over one message, otherwise "time".

        Args:
            number: Number of the message that is to be answered.
            is_start: Whether a bot that starts with it hasn't answered yet.
            elapsed: Seconds since the last audit, of which at most 0.2 count.
            spent: Usage of all legs that the process ever had.
        """
        allowed, clocks, message = self._allowed, self._clocks, self._message
        is_new = message is None or (message.number, message.is_start) != (number, is_start)
        # An answer that we haven't read yet came in time. If this worker was held up itself (a stopped job, say), that
        # time is not the bot's.
        if self._process.has_written():
            clocks.note(self._process.cpu_seconds())
        else:
            clocks.look(min(elapsed, _MAX_TICK), asked_lately=is_new)
        if what := self._beyond_its_bank(spent) or self._slept_beyond_its_leg(spent):
            return what
        if message is None or is_new:
            self._message = _Message(number, is_start, clocks.cpu, clocks.slept)
            return None
        grace = START_SECONDS if is_start else 0.0
        if clocks.cpu - message.cpu > allowed.for_decision + grace:
            purpose = "to start" if is_start else "for a decision"
            return Failure(
                f"took more than {allowed.for_decision + grace:g} s of processor time {purpose}: {TOO_SLOW}", "time"
            )
        patience = max(allowed.idle, START_SECONDS if is_start else 0.0)
        if clocks.slept - message.slept > patience:
            return Failure(f"did not answer for {patience:g} s", "silence")
        return None

    def _slept_beyond_its_leg(self, spent: Spent) -> Failure | None:
        """Return the violation if the process slept longer than one leg and START_SECONDS allow, otherwise None."""
        # A shared process gets no more than one leg would: if it is too slow, its legs begin again alone.
        limit = self._allowed.idle_in_leg
        if self._clocks.slept + spent.idle_seconds <= limit + START_SECONDS:
            return None
        return Failure(f"slept or waited for more than {limit:g} s in all", "time")


# The name and artifact of a bot whose legs share a process, whether these are later legs of their deals, and its place
# in its team.
SharedBy = tuple[str, str, bool, int]


@dataclass(eq=False)
class ProcessSeat:
    """A bot that is a process, in one leg.

    Attributes:
        number: Number of the seat.
        seat: The seat with its bot.
        alone: Whether it must not share a process.
        lane: Number of the leg's lane; −1 before it is opened.
        slot: Number of the leg in its process, from 0; −1 before it has one.
        process: Its running process; None before it starts, after it was lost, and for a dismissed bot.
        dialogue: The program's own dialogue; None for Python bots, and for contests without dialogues.
        later: Whether it must not share one with legs that had the deals of its previous leg.
        place: Place in its entrant's team, whose bots share no process.
        cpu_before: Processor seconds of its earlier processes in this leg.
        idle_before: Seconds asleep of these processes.
    """

    number: int
    seat: Seat
    alone: bool = False
    lane: int = -1
    slot: int = -1
    process: BotProcess | None = None
    dialogue: Dialogue | None = None
    later: bool = False
    place: int = 0
    cpu_before: float = 0.0
    idle_before: float = 0.0

    def lose_process(self) -> BotProcess:
        """Take the player's process from it and count what that has used. The caller must end the returned process.

        The player must have one. It stays in the process's list of players.
        """
        assert self.process
        process, self.process = self.process, None
        self.cpu_before += process.confined.cpu_seconds()
        self.idle_before += process.time.idle_seconds
        return process


@dataclass(eq=False)
class BotProcess:
    """A running bot and its channel.

    Attributes:
        confined: The process and its pipes.
        channel: Number of its channel.
        seat: A seat of its bot.
        lanes: The lanes that its legs play in.
        settings: The contest's settings.
        leg: The leg for which it started.
        shared_by: Key of the bot whose legs share the process, or None for a process of one leg.
        notes_prints: Whether it sends the leg's output with a fault.
        slots: Number of legs that it ever had.
        players: The seats, one for each leg, that it plays now, in the order in which they came.
        decisions_before: Number of decisions of the legs that have left.
        time: Its clocks and limits of time.
    """

    confined: Confined
    channel: int
    seat: Seat
    lanes: Lanes
    settings: ContestSettings
    leg: Leg
    shared_by: SharedBy | None = None
    notes_prints: bool = False
    slots: int = 0
    players: list[ProcessSeat] = field(default_factory=list)
    decisions_before: int = 0
    _memory_bytes: int = 0
    _measured: float = -math.inf

    def __post_init__(self) -> None:
        self.time = TimeLimits(self.settings.process_time(self.seat.kind), self.confined)

    def add(self, player: ProcessSeat) -> None:
        """Give the process one more leg of its bot, and the player its process and slot.

        The number of legs isn't limited here.
        """
        player.process, player.slot = self, self.slots
        self.players.append(player)
        self.slots += 1

    def remove(self, player: ProcessSeat) -> None:
        """Remove a leg, and count its decisions. Its slot stays taken, and the player keeps its process.

        The leg's lane must still be open.
        """
        self.players.remove(player)
        self.decisions_before += self.lanes.decisions(player.lane)[player.number]

    def audit(self, elapsed: float) -> Failure | None:
        """Return the limit that the process has exceeded, `elapsed` seconds after the last audit, or None.

        A shared process is checked only while an answer is due. The number of threads is limited only for a process of
        one leg.
        """
        outstanding, message, starts = self.lanes.channels.is_outstanding(self.channel)
        if not outstanding:
            self.time.rest()
            return None if self.shared_by else self._too_much_at_once() or self.time.overdrawn(self._spent())
        passed = self._too_much_at_once() or self.time.exceeded(message, starts, elapsed, self._spent())
        if passed and passed.kind == "silence" and self.seat.kind == "program" and message == 1:
            passed = replace(passed, what=passed.what + _NO_LINE)
        return passed

    def violation_at_end(self) -> Failure | None:
        """Return a violation of the memory limit, found as the leg ends, or None. Shared processes aren't checked."""
        return None if self.shared_by else self._too_much_memory()

    def failure(self, passed: Failure | None) -> Failure | None:
        """Return the bot's failure after its output has closed, or None if its process was killed from outside.

        This waits for the process to end, half a second or longer, and then closes its pipes.

        Args:
            passed: A violation that is known already and is returned as it is; None if there is none.
        """
        if passed:
            return passed
        status = self.confined.ended_by_itself()
        if passed := self._too_much_memory():
            return passed
        if status is None:
            return Failure("closed its output")
        return None if self.confined.was_killed_from_outside() else Failure(how_it_ended(status))

    def used(self, player: ProcessSeat) -> Used:
        """Return a leg's usage, without fuel.

        The seconds are an even share of this process's among all legs that it ever had, and those of the leg's earlier
        processes. The memory is the process's peak in bytes. The slowest answer is in seconds.

        Args:
            player: A leg of this process, whose lane is still open.
        """
        seconds = player.cpu_before + self.confined.cpu_seconds() / (self.slots if self.shared_by else 1)
        return Used(0.0, seconds, self._most_memory(), self.lanes.slowest_seconds(player.lane, player.number))

    def _too_much_at_once(self) -> Failure | None:
        """Return the violation of the limits of threads and memory, or None. Shared processes can have any threads."""
        if self.shared_by is None and self.confined.threads() > _MAX_THREADS:
            return Failure(f"started more than {_MAX_THREADS} threads")
        return self._too_much_memory()

    def _too_much_memory(self) -> Failure | None:
        """Return the violation of the memory limit, or None."""
        return memory_failure(self.settings.memory_megabytes) if self.confined.has_taken_too_much() else None

    def _spent(self) -> Spent:
        """Return the usage of the process's legs, those that have left included."""
        players = self.players
        return Spent(
            self.slots,
            self.decisions_before + sum(self.lanes.decisions(player.lane)[player.number] for player in players),
            sum(player.cpu_before for player in players),
            sum(player.idle_before for player in players),
        )

    def _most_memory(self) -> int:
        """Return the peak memory in bytes, which is measured only occasionally while several legs share the process."""
        if len(self.players) < 2 or time.monotonic() - self._measured > _MEASURE_SECONDS:
            self._memory_bytes, self._measured = self.confined.memory_bytes(), time.monotonic()
        return self._memory_bytes
