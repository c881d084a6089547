"""A process's own time: its processor time, and how long it slept by its own choice.

Waits for a processor or a disk are the machine's. The system counts how long a thread has waited for processors. The
thread slept in the rest of the time in which it had none. The system doesn't count waits for disks, so a process is
sampled. If it is in such a wait, it is assumed to have waited since the previous sample. A late sample counts for
little, because this process itself might not have run: it was stopped, or the machine was suspended.
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

# Patience with a busy machine: this multiple of a process's limit, plus this many seconds.
_MAX_TIMES, _MORE_SECONDS = 4, 60.0
_SAMPLE_SECONDS = 1.0
_TICKS = os.sysconf("SC_CLK_TCK")
# Calls in which a thread waits for a child that shares its memory. Its state is that of a wait for a disk.
_WAITING_FOR_A_CHILD = frozenset(map(str, numbers_here("vfork clone clone3")))


class MachineBusyError(RunError):
    """Raised when this machine, not the process, caused a failure. The message says how."""


@dataclass(frozen=True)
class ProcessUse:
    """The use of the machine by a process, or by a group of processes, up to now.

    Attributes:
        cpu: Processor time of all threads in seconds.
        sleeps: Whether none of its threads runs, is stopped, or waits for a processor or a disk.
        waited: Seconds for which its threads have waited for processors; None if the system doesn't count them.
        runs: Whether a thread runs or waits for a processor now. Always False if `waited` is None.
    """

    cpu: float
    sleeps: bool
    waited: float | None = None
    runs: bool = False


class ProcessClock:
    """The processor time of a process and the time that it slept, in seconds, sampled by `look`.

    Args:
        use: Returns what the process has used. Its exceptions are passed on.
        longest_nap: Maximum seconds of sleep between two samples if it has also worked and the system doesn't count
            waits for processors. By default there is no maximum.

    Attributes:
        cpu: Processor seconds as of the last sample or note.
    """

    def __init__(self, use: Callable[[], ProcessUse], longest_nap: float = inf) -> None:
        self._use, self._longest_nap = use, longest_nap
        self.cpu = 0.0
        self._slept = self._waited = 0.0
        # The system counts a wait for a processor when it ends; until then it looks like sleep. These are the seconds
        # that look like sleep, and the longest possible present wait.
        self._unsure = self._waiting = 0.0

    @property
    def slept(self) -> float:
        """Seconds that it has certainly slept, as of the last sample."""
        return self._slept + max(0.0, self._unsure - self._waiting)

    def look(self, elapsed: float, *, asked_lately: bool = False) -> ProcessUse:
        """Sample the process, and return what it has used so far.

        Args:
            elapsed: Seconds since the previous sample.
            asked_lately: Whether it had nothing to do for a part of them. They then count only if it is found asleep.

        Raises:
            OSError: /proc can't be read, for a group of processes.
        """
        use = self._use()
        used = self.note(use.cpu)
        waited = max(0.0, (use.waited or 0.0) - self._waited)
        self._waited = use.waited or 0.0  # decreases when a thread ends
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
        """Record its processor seconds alone, which costs a hundredth of a sample. Return the increase in seconds.

        The increase is negative if the processor time is less than before, as that of a process that has ended.

        Args:
            cpu: Processor seconds so far.
        """
        used, self.cpu = cpu - self.cpu, cpu
        return used


class TimeBudget:
    """A limit, in seconds, for the own time of a process or a group, used or slept. It counts from when this is made.

    For a group, simultaneous processor time counts only as much as one process could use.

    Args:
        use: Returns what the process or group has used.
        seconds: The limit.
        clock: Returns the present time in seconds.

    Attributes:
        seconds: The limit.
    """

    def __init__(
        self, use: Callable[[], ProcessUse], seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clocks, self._clock = ProcessClock(use), clock
        self.seconds = seconds
        self._step = min(_SAMPLE_SECONDS, seconds / 20)
        self._looked = self._clock()
        self._used = self._passed = 0.0

    @property
    def used(self) -> float:
        """The process's own time in seconds, as of the last sample."""
        return self._used + self._clocks.slept

    def is_over(self) -> bool:
        """Return whether it has used up its time, as of a sample.

        A sample is taken at most once a second, or once in a twentieth of the limit if that is shorter. Between samples
        it returns False, even if the time was used up before.

        Raises:
            MachineBusyError: The machine has kept it waiting for very long: four times the limit and a minute.
            OSError: /proc can't be read, for a group of processes.
        """
        now = self._clock()
        if now - self._looked < self._step:
            return False
        elapsed = min(now - self._looked, 2 * self._step)
        self._looked = now
        self._passed += elapsed
        before = self._clocks.cpu
        self._clocks.look(elapsed)
        self._used += min(self._clocks.cpu - before, elapsed)
        if self.used >= self.seconds:
            return True
        if self._passed >= _MAX_TIMES * self.seconds + _MORE_SECONDS:
            raise MachineBusyError("this machine is too busy; run again when it is less so")
        return False


def members(group: int) -> Iterator[tuple[Path, list[str]]]:
    """Yield the folder in /proc and the fields of `stat`, from the state on, of each process of a group, in any order.

    Args:
        group: ID of the process group.

    Raises:
        OSError: /proc can't be read.
    """
    for name in os.listdir("/proc"):
        with contextlib.suppress(ValueError, ProcessLookupError):  # the entry is no process, or the process has ended
            # Reading `stat` of every process takes a hundredth of a second, and builds are sampled often.
            if os.getpgid(int(name)) == group and (fields := stat_fields(folder := Path("/proc", name))):
                yield folder, fields


def stat_fields(folder: Path) -> list[str]:
    """Return the fields of `stat`, from the state on, of a process or thread.

    The list is empty once it has ended and was reaped, or if the file can't be read.

    Args:
        folder: Its folder in /proc.
    """
    try:
        return (folder / "stat").read_text().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return []


Doing = Literal["sleeps", "runs", "is held up"]


def doing(process: Path, *, while_stopped: Doing = "is held up") -> Doing:
    """Return what a process is doing. If it is stopped, it receives SIGCONT.

    Args:
        process: Its folder in /proc.
        while_stopped: What a stopped process counts as, because other processes can have stopped it. By default it is
            "is held up".

    Returns:
        "sleeps": all its threads sleep by their own choice, or it has ended. "runs": a thread runs or waits for a
            processor. "is held up": a thread waits for something else of the system, and none runs.
    """
    states = {thread: fields[0] for thread in _threads(process) if (fields := stat_fields(thread))}
    if "T" in states.values():
        with contextlib.suppress(OSError):
            os.kill(int(process.name), signal.SIGCONT)
        return while_stopped
    if all(state in "ZX" or _may_sleep_on(thread, state) for thread, state in states.items()):
        return "sleeps"
    return "runs" if "R" in states.values() else "is held up"


def waited(process: Path) -> float | None:
    """Return how many seconds a process's threads have waited for processors.

    It is None if the system doesn't count them, or a thread or the process has just ended.

    Args:
        process: Its folder in /proc.
    """
    try:
        statistics = [(thread / "schedstat").read_text().split() for thread in _threads(process)]
        return sum(int(words[1]) for words in statistics) / 1e9 if statistics else None
    except (OSError, IndexError, ValueError):
        return None


def _threads(process: Path) -> list[Path]:
    """Return the folders of a process's threads, none once it has ended."""
    try:
        return list((process / "task").iterdir())
    except OSError:
        return []


def _may_sleep_on(thread: Path, state: str) -> bool:
    """Return whether a thread waits for something other than the system. A wait for a child's start counts, too."""
    if state != "D":
        return state == "S"
    with contextlib.suppress(OSError):
        return (thread / "syscall").read_text().partition(" ")[0] in _WAITING_FOR_A_CHILD
    return False


class GroupUse:
    """Measures what a group of processes has used, including those that have ended.

    The time of an ended process certainly counts if a member has waited for it. Members can stop each other, so stopped
    ones count as asleep.

    Args:
        group: ID of the process group.
    """

    def __init__(self, group: int) -> None:
        self._group = group
        self._cpu = 0.0

    def __call__(self) -> ProcessUse:
        """Return what the group has used so far. Stopped members receive SIGCONT.

        The processor time never decreases. Waits for processors aren't counted.

        Raises:
            OSError: /proc can't be read.
        """
        ticks, asleep = 0, True
        for folder, fields in members(self._group):
            ticks += sum(map(int, fields[11:15]))  # including children that it has waited for
            asleep = asleep and doing(folder, while_stopped="sleeps") == "sleeps"
        self._cpu = max(self._cpu, ticks / _TICKS)
        return ProcessUse(self._cpu, asleep)
