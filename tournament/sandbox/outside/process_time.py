"""A process's own time: what it had of processors, and how long it slept of its own accord.

A wait for a processor or for a disk is the machine's, however long it takes. The system counts how long a thread has
waited for processors; it sleeps in the rest of the time in which it had none. How long waits for disks were it doesn't
say, so a process is looked at now and then: who is found in one has been since the look before. Time in which this
process itself didn't run counts for no process (`engine.processes.heartbeat`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Literal

from tournament.errors import RunError
from tournament.sandbox.inside.seccomp import numbers_here

# How long a busy machine may take: this many times what a process may have, and this many seconds more.
_MOST_TIMES, _MORE_SECONDS = 4, 60.0
_LOOK_SECONDS = 1.0
_TICKS = os.sysconf("SC_CLK_TCK")
# In these calls a thread waits for a child that shares its memory, in the state of those that wait for a disk.
_WAITING_FOR_A_CHILD = frozenset(map(str, numbers_here("vfork clone clone3")))


class MachineBusyError(RunError):
    """This machine, not the process, is to blame for what it didn't do; the message says how."""


@dataclass(frozen=True)
class ProcessUse:
    """The processor time that a process, or a group, has used by now, in seconds, and what it does now.

    It `sleeps` if none of its threads runs, is stopped, or waits for a processor or a disk. `waited`: how long its
    threads have waited for processors, in seconds, None if the system doesn't say; if it does, `runs` says whether one
    runs or waits for a processor now.
    """

    cpu: float
    sleeps: bool
    waited: float | None = None
    runs: bool = False


def _awake_clock() -> Callable[[], float]:
    """Return the clock that leaves out time in which this process didn't run.

    Set-up builds the compiler's libraries while the core is compiled. The system's clock serves there.
    """
    try:
        from engine.processes.heartbeat import awake_seconds
    except ModuleNotFoundError:
        return time.monotonic
    return awake_seconds


class ProcessClock:
    """The processor time of a process, and the time that it slept, in seconds, from look to look.

    `longest_nap`: the most that counts as sleep between two looks if it has worked between them, too, and the system
    doesn't say how long it waited for processors.
    """

    def __init__(self, use: Callable[[], ProcessUse], longest_nap: float = inf) -> None:
        self._use, self._longest_nap = use, longest_nap
        self.cpu = 0.0
        self._slept = self._waited = 0.0
        # The system counts a wait for a processor when it ends. Until then it looks like sleep: so much does, and it
        # may have begun so long ago.
        self._unsure = self._waiting = 0.0

    @property
    def slept(self) -> float:
        """How long it slept, for sure."""
        return self._slept + max(0.0, self._unsure - self._waiting)

    def look(self, elapsed: float, *, asked_lately: bool = False) -> ProcessUse:
        """Look this many seconds after the look before.

        `asked_lately`: it had nothing to do in some of them, so they count only if it is found asleep.
        """
        use = self._use()
        used = self.note(use.cpu)
        waited = max(0.0, (use.waited or 0.0) - self._waited)
        self._waited = use.waited or 0.0  # less than before where a thread has ended
        idle = elapsed - used - waited
        if use.waited is None and used:
            idle = min(idle, self._longest_nap)
        if asked_lately:
            self._unsure = 0.0
        counts = use.sleeps or (use.runs and not asked_lately)
        self._unsure = max(0.0, self._unsure + (idle if counts else min(idle, 0.0)))
        self._waiting = elapsed if used and use.runs else self._waiting + elapsed
        if use.sleeps:
            self._slept, self._unsure, self._waiting = self._slept + self._unsure, 0.0, 0.0
        return use

    def note(self, cpu: float) -> float:
        """Note its processor time alone, a hundredth of the work of a look; returns what it has used since."""
        used, self.cpu = cpu - self.cpu, cpu
        return used


class TimeBudget:
    """The own time of a process, used or slept, against this many seconds that it is allowed.

    Of what a group uses at once no more counts than one process could use.
    """

    def __init__(self, use: Callable[[], ProcessUse], seconds: float, clock: Callable[[], float] | None = None) -> None:
        self._clocks, self._clock = ProcessClock(use), clock or _awake_clock()
        self.seconds = seconds
        self._step = min(_LOOK_SECONDS, seconds / 20)
        self._started = self._looked = self._clock()
        self._used = 0.0

    @property
    def used(self) -> float:
        """Its own time so far, as it was last looked at."""
        return self._used + self._clocks.slept

    def is_over(self) -> bool:
        """Whether it has had its time. Raises MachineBusyError when the machine has kept it waiting for very long."""
        now = self._clock()
        elapsed = now - self._looked
        if elapsed < self._step:
            return False
        self._looked = now
        before = self._clocks.cpu
        self._clocks.look(elapsed)
        self._used += min(self._clocks.cpu - before, elapsed)
        if self.used >= self.seconds:
            return True
        if now - self._started >= _MOST_TIMES * self.seconds + _MORE_SECONDS:
            raise MachineBusyError("this machine is too busy; run again when it is less so")
        return False


def members(group: int) -> Iterator[tuple[Path, list[str]]]:
    """The processes of a group: their folders in /proc, and the fields of `stat` from the state on."""
    for name in os.listdir("/proc"):
        with contextlib.suppress(ValueError, ProcessLookupError):  # no process, or gone
            # To read all of /proc for it takes a hundredth of a second, and builds are looked at often.
            if os.getpgid(int(name)) == group and (fields := stat_fields(folder := Path("/proc", name))):
                yield folder, fields


def stat_fields(folder: Path) -> list[str]:
    """The fields of `stat` of a process or a thread from its state on, by its folder in /proc; [] when it is gone."""
    try:
        return (folder / "stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []


Doing = Literal["sleeps", "runs", "is held up"]


def doing(process: Path, *, while_stopped: Doing = "is held up") -> Doing:
    """What a process does now, by its folder in /proc: whether it sleeps of its own accord, runs or waits for a
    processor, or waits for something else of the system's.

    `while_stopped`: what one does that is stopped, which others may do to it. It is told to go on.
    """
    states = {thread: fields[0] for thread in _threads_of(process) if (fields := stat_fields(thread))}
    if "T" in states.values():
        with contextlib.suppress(OSError):
            os.kill(int(process.name), signal.SIGCONT)
        return while_stopped
    if all(state in "ZX" or _may_sleep_on(thread, state) for thread, state in states.items()):
        return "sleeps"
    return "runs" if "R" in states.values() else "is held up"


def waited(process: Path) -> float | None:
    """How long the threads of a process have waited for processors, in seconds; None where the system doesn't say."""
    try:
        told = [(thread / "schedstat").read_text().split() for thread in _threads_of(process)]
        return sum(int(words[1]) for words in told) / 1e9 if told else None
    except (OSError, IndexError, ValueError):
        return None


def _threads_of(process: Path) -> list[Path]:
    try:
        return list((process / "task").iterdir())
    except OSError:
        return []


def _may_sleep_on(thread: Path, state: str) -> bool:
    """Whether a thread waits for something else than the system."""
    if state != "D":
        return state == "S"
    with contextlib.suppress(OSError):
        return (thread / "syscall").read_text().partition(" ")[0] in _WAITING_FOR_A_CHILD
    return False


class GroupUse:
    """What a group of processes has used, with those that have ended: see `ProcessUse`.

    Its members can stop each other, so stopped ones sleep.
    """

    def __init__(self, group: int) -> None:
        self._group = group
        self._cpu = 0.0

    def __call__(self) -> ProcessUse:
        ticks, asleep = 0, True
        for folder, fields in members(self._group):
            ticks += sum(map(int, fields[11:15]))  # its own, and those of children that it has waited for
            asleep = asleep and doing(folder, while_stopped="sleeps") == "sleeps"
        self._cpu = max(self._cpu, ticks / _TICKS)
        return ProcessUse(self._cpu, asleep)
