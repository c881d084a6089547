"""A process's time against its limits, without the time that a busy machine kept from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tournament.contests.settings import ContestSettings

# The processor time that a process may take to get ready, beyond the limits of its first decision; and how long it may
# wait for that at least.
START_SECONDS = 5.0
DID_NOT_ANSWER = "did not answer"
_LONGEST_TICK = 0.5
# So many times less patience is left for a bot that has used it up in this leg, and was replaced.
_LESS_PATIENCE = 10


class Timed(Protocol):
    """The clocks of a running process; `Confined` has them."""

    def cpu_seconds(self) -> float: ...
    def run_delay(self) -> float: ...
    def has_written(self) -> bool: ...
    def waits_for_processor(self) -> bool: ...


@dataclass
class Spent:
    """What legs have taken: their number, their decisions, and seconds of processor time and asleep.

    The seconds are those of their processes before the one that is audited; `kept_waiting`: one of those didn't answer.
    """

    legs: int = 0
    decisions: int = 0
    cpu_seconds: float = 0.0
    idle_seconds: float = 0.0
    kept_waiting: bool = False


@dataclass
class _Message:
    """An unanswered message: its number, and the process's clocks when it was first seen and last audited."""

    number: int
    first_cpu: float
    cpu: float
    delay: float
    idle_seconds: float = 0.0


class TimeLimits:
    """One process's clocks from audit to audit. `idle_seconds`: how long it slept or waited in all while asked."""

    def __init__(self, settings: ContestSettings, process: Timed) -> None:
        self._settings = settings
        self._process = process
        self._message: _Message | None = None
        self.idle_seconds = 0.0

    def rest(self) -> None:
        """Note that it is not asked: what it does now ends no leg."""
        self._message = None

    def overdrawn(self, spent: Spent) -> str | None:
        """Whether it has used up its bank of processor time, in words; threads may do so while it isn't asked."""
        bank = max(1, spent.legs) * self._settings.cpu_seconds_per_leg
        bank += spent.decisions * self._settings.cpu_milliseconds_more / 1000
        if self._process.cpu_seconds() + spent.cpu_seconds <= bank + START_SECONDS:
            return None
        return f"used up its processor time ({bank:.1f} s for {spent.decisions:,} decisions)"

    def exceeded(self, number: int, is_start: bool, elapsed: float, spent: Spent) -> str | None:
        """What it took too much of, in words; None while it is within its limits.

        `number`: of the message that it has to answer; `is_start`: whether a leg starts with it; `elapsed`: seconds
        since the audit before; `spent`: by the legs that it was ever given.
        """
        settings, process = self._settings, self._process
        if what := self.overdrawn(spent):
            return what
        cpu, delay = process.cpu_seconds(), process.run_delay()
        message = self._message
        if message is None or message.number != number:
            self._message = _Message(number, cpu, cpu, delay)
            return None
        grace = START_SECONDS if is_start else 0.0
        if cpu - message.first_cpu > settings.cpu_seconds_per_decision + grace:
            return f"took more than {settings.cpu_seconds_per_decision:g} s of processor time for a decision"
        # If this worker was held up itself (a stopped job, say), that time is not the bot's.
        idle = min(elapsed, _LONGEST_TICK) - (cpu - message.cpu) - (delay - message.delay)
        message.cpu, message.delay = cpu, delay
        # An answer that we haven't read yet came in time.
        if process.has_written():
            return None
        # A wait for the processor is known only when it is over: then `idle` is negative and makes up for it.
        message.idle_seconds = max(0.0, message.idle_seconds + idle)
        self.idle_seconds = max(0.0, self.idle_seconds + idle)
        if process.waits_for_processor():
            return None
        patience = max(settings.wall_seconds_per_decision, START_SECONDS if is_start else 0.0)
        if spent.kept_waiting:
            patience /= _LESS_PATIENCE
        if message.idle_seconds > patience:
            return f"{DID_NOT_ANSWER} for {'another ' * spent.kept_waiting}{patience:g} s"
        # A shared process gets no more than one leg would: if it is too slow, its legs are played again alone.
        if self.idle_seconds + spent.idle_seconds > settings.wall_seconds_per_leg + START_SECONDS:
            return f"slept or waited for more than {settings.wall_seconds_per_leg:g} s in all"
        return None
