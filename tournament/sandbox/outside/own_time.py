"""A process's own time: clock time less the time in which it waited for a processor."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tournament.errors import RunFailed

# How long a busy machine may take: so many times what a process may have, and so many seconds more.
_MOST_TIMES, _MORE_SECONDS = 4, 60.0
_LOOK_SECONDS = 1.0
_TICKS = os.sysconf("SC_CLK_TCK")


class Disturbed(RunFailed):
    """This machine, not the process, is to blame for what it didn't do; the message says how."""


@dataclass(frozen=True)
class Use:
    """What a process, or a group of them, has used by now, in seconds.

    `cpu`: of processors. `delay`: that its threads were ready but waited for one. `waits`: whether a thread waits now,
    or runs.
    """

    cpu: float
    delay: float
    waits: bool


class OwnTime:
    """The own time of a process, used or slept, against so many seconds that it is allowed.

    A group that has as much processor time as one process could have waits for its own members alone.
    """

    def __init__(self, use: Callable[[], Use], seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._use, self._clock = use, clock
        self.seconds = seconds
        self._step = min(_LOOK_SECONDS, seconds / 20)
        self._started = self._looked = clock()
        self._before = Use(0.0, 0.0, False)
        self._waited = 0.0
        self._unexplained = 0.0  # time without a processor: a wait is known only when it is over

    def is_over(self) -> bool:
        """Whether it has had its time. Raises Disturbed when it has waited for a processor for very long."""
        now = self._clock()
        if now - self._looked < self._step:
            return False
        use, before = self._use(), self._before
        self._unexplained += max(0.0, now - self._looked - (use.cpu - before.cpu))
        waited = min(use.delay - before.delay, self._unexplained)
        self._waited += waited
        self._unexplained = self._unexplained - waited if use.waits else 0.0
        self._before, self._looked = use, now
        passed = now - self._started
        if passed - self._waited - self._unexplained >= self.seconds:
            return True
        if passed >= _MOST_TIMES * self.seconds + _MORE_SECONDS:
            raise Disturbed("this machine is too busy; run again when it is less so")
        return False


def members(group: int) -> Iterator[tuple[Path, list[str]]]:
    """The processes of a group: their folders in /proc, and the fields of `stat` from the state on."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = Path(entry.path, "stat").read_text().rsplit(")", 1)[1].split()
                if int(fields[2]) == group:
                    yield Path(entry.path), fields


def run_delays(process: Path) -> dict[Path, float]:
    """Seconds that each thread of a process, by its folder in /proc, was ready to run but had to wait."""
    found = {}
    with contextlib.suppress(OSError):
        for thread in (process / "task").iterdir():
            with contextlib.suppress(OSError, IndexError, ValueError):
                found[thread] = int((thread / "schedstat").read_text().split()[1]) / 1e9
    return found


class GroupUse:
    """What a group of processes has used, with those that have ended: see `Use`."""

    def __init__(self, group: int) -> None:
        self._group = group
        self._delays: dict[Path, float] = {}
        self._delay = self._cpu = 0.0

    def __call__(self) -> Use:
        ticks, waits = 0, False
        delays: dict[Path, float] = {}
        for folder, fields in members(self._group):
            ticks += sum(map(int, fields[11:15]))  # its own, and those of children that it has waited for
            waits = waits or fields[0] in ("R", "D")
            delays |= run_delays(folder)
        self._delay += sum(max(0.0, delay - self._delays.get(thread, 0.0)) for thread, delay in delays.items())
        self._delays = delays
        self._cpu = max(self._cpu, ticks / _TICKS)
        return Use(self._cpu, self._delay, waits)
