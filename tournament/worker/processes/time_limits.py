"""A process's own time (`sandbox.outside.own_time`) against the limits of a contest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tournament.contests.settings import ContestSettings
from tournament.leg import Failure
from tournament.sandbox.outside.own_time import Clocks, Use

# The processor time that a process may take to get ready, beyond the limits of its first decision; and how long it may
# wait for that at least.
START_SECONDS = 5.0
# Between two audits that come late.
_LONGEST_TICK, _LONGEST_NAP = 0.5, 0.1
# However it comes about, so many times what a leg may take, and so many seconds more, is too long.
_MOST_TIMES, _MORE_SECONDS = 4, 60.0
# So many times less patience is left for a bot that has used it up in this leg, and was replaced.
_LESS_PATIENCE = 10


class Timed(Protocol):
    """What is known of a running process; `Confined` knows it."""

    def use(self) -> Use: ...
    def cpu_seconds(self) -> float: ...
    def has_written(self) -> bool: ...


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


@dataclass(frozen=True)
class _Message:
    """An unanswered message: its number, and the process's clocks when it was first seen."""

    number: int
    cpu: float
    slept: float


class TimeLimits:
    """One process's clocks from audit to audit."""

    def __init__(self, settings: ContestSettings, process: Timed) -> None:
        self._settings = settings
        self._process = process
        self._clocks = Clocks(process.use, _LONGEST_NAP)
        self._message: _Message | None = None
        self._asked = 0.0  # seconds in which it had an answer to give, and nothing held it up

    @property
    def idle_seconds(self) -> float:
        """How long it slept in all while it was asked."""
        return self._clocks.slept

    def rest(self) -> None:
        """Note that it is not asked: what it does now ends no leg."""
        self._message = None

    def overdrawn(self, spent: Spent) -> Failure | None:
        """Whether it has used up its bank of processor time; threads may do so while it isn't asked."""
        self._clocks.note(self._process.cpu_seconds())
        return self._beyond_its_bank(spent)

    def _bank(self, spent: Spent) -> float:
        more = spent.decisions * self._settings.cpu_milliseconds_more / 1000
        return max(1, spent.legs) * self._settings.cpu_seconds_per_leg + more

    def _beyond_its_bank(self, spent: Spent) -> Failure | None:
        bank = self._bank(spent)
        if self._clocks.cpu + spent.cpu_seconds <= bank + START_SECONDS:
            return None
        return Failure(f"used up its processor time ({bank:.1f} s for {spent.decisions:,} decisions)")

    def exceeded(self, number: int, is_start: bool, elapsed: float, spent: Spent) -> Failure | None:
        """What it took too much of; None while it is within its limits.

        `number`: of the message that it has to answer; `is_start`: whether a leg starts with it; `elapsed`: seconds
        since the audit before; `spent`: by the legs that it was ever given.
        """
        settings, clocks, message = self._settings, self._clocks, self._message
        is_new = message is None or message.number != number
        # An answer that we haven't read yet came in time. If this worker was held up itself (a stopped job, say), that
        # time is not the bot's.
        if self._process.has_written():
            clocks.note(self._process.cpu_seconds())
        else:
            tick = min(elapsed, _LONGEST_TICK)
            use = clocks.look(tick, asked_lately=is_new)
            self._asked += tick if use.sleeps or use.runs else 0.0
        if what := self._beyond_its_bank(spent) or self._waited_beyond_its_leg(spent):
            return what
        if message is None or is_new:
            self._message = _Message(number, clocks.cpu, clocks.slept)
            return None
        grace = START_SECONDS if is_start else 0.0
        if clocks.cpu - message.cpu > settings.cpu_seconds_per_decision + grace:
            seconds = f"{settings.cpu_seconds_per_decision:g} s"
            return Failure(f"took more than {seconds} of processor time for a decision")
        patience = max(settings.wall_seconds_per_decision, START_SECONDS if is_start else 0.0)
        if spent.kept_waiting:
            patience /= _LESS_PATIENCE
        if clocks.slept - message.slept > patience:
            words = f"did not answer for {'another ' * spent.kept_waiting}{patience:g} s"
            return Failure(words, "silence", waited=patience)
        return None

    def _waited_beyond_its_leg(self, spent: Spent) -> Failure | None:
        # A shared process gets no more than one leg would: if it is too slow, its legs are played again alone.
        most = self._settings.wall_seconds_per_leg
        if self._clocks.slept + spent.idle_seconds > most + START_SECONDS:
            return Failure(f"slept or waited for more than {most:g} s in all", waited=most)
        most = _MOST_TIMES * (self._bank(spent) + max(1, spent.legs) * most) + _MORE_SECONDS
        if self._asked > most:
            return Failure(f"kept others waiting for more than {most:.0f} s in all", waited=most)
        return None
