"""One core for a worker and the processes that it asks in turn.

While one of them runs, the others wait. Spread over several cores, each message has to wake a core, which takes
several times as long as a change of process on one. A process that takes long over messages has all cores, since it
could run beside others. So have all of them for a moment when something else needs this core.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tournament.sandbox.outside.process_time import stat_fields

# A message for which a process takes longer is hardly faster on one core.
QUICK_SECONDS = 0.0003
# Worker and processes use more than this of a core of their own, over this many seconds; otherwise something else runs
# there, too.
_LEAST_SHARE, _SHARE_SECONDS = 0.7, 1.0

# How many workers of this process hold each core.
_holders: Counter[int] = Counter()
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class ProcessLoad:
    """A process: how many messages it was sent, and its processor time in seconds."""

    pid: int
    messages: int
    cpu_seconds: float


class CoreAffinity:
    """The core of one worker's thread and of its quick processes. Where the system refuses, nothing happens."""

    def __init__(self) -> None:
        self._core: int | None = None
        self._kept: dict[int, set[int]] = {}  # the cores that each process kept here could use before
        self._seen: dict[int, ProcessLoad] = {}
        self._thread_seconds = time.thread_time()
        self._elapsed = self._used = 0.0  # seconds since the core's share was judged, and of the processor in them

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the calling thread on the core, if there is one. Threads that it starts meanwhile would stay there."""
        if self._core is None:
            yield
            return
        before = os.sched_getaffinity(0)
        _confine(0, {self._core})
        try:
            yield
        finally:
            _confine(0, before)

    def look(self, processes: Iterable[ProcessLoad], elapsed: float) -> None:
        """Keep here the processes that were quick since the look before, `elapsed` seconds ago."""
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        if len(cores) < 2 or self._core not in (None, *cores):
            self.leave()
            return
        self._elapsed += elapsed
        thread_seconds, self._thread_seconds = self._thread_seconds, time.thread_time()
        self._used += self._thread_seconds - thread_seconds
        now = {process.pid: process for process in processes}
        seen, self._seen = self._seen, now
        quick = []
        for pid, process in now.items():
            last = seen.get(pid, ProcessLoad(pid, 0, 0.0))
            seconds = process.cpu_seconds - last.cpu_seconds
            self._used += seconds
            if seconds <= QUICK_SECONDS * (process.messages - last.messages):
                quick.append(pid)
        for pid in self._kept.keys() - set(quick):
            self._release(pid)
        if self._elapsed >= _SHARE_SECONDS:
            crowded = self._used < _LEAST_SHARE * self._elapsed
            self._elapsed = self._used = 0.0
            if crowded:
                self.leave()  # until the next look: by then the system may have chosen another
                return
        if not quick:
            self.leave()
            return
        if self._core is None:
            self._core = _take(cores)
        for pid in quick:
            if pid not in self._kept:
                with contextlib.suppress(OSError):  # it has ended
                    self._kept[pid] = os.sched_getaffinity(pid)
                    _confine(pid, {self._core})

    def forget(self, pid: int) -> None:
        """Forget a process before it is ended: its number may soon be another's."""
        self._kept.pop(pid, None)
        self._seen.pop(pid, None)

    def leave(self) -> None:
        """Give up the core, and let the processes use the cores that they could use before."""
        for pid in list(self._kept):
            self._release(pid)
        if self._core is not None:
            with _one_at_a_time:
                _holders[self._core] -= 1
            self._core = None

    def _release(self, pid: int) -> None:
        before = self._kept.pop(pid)
        _confine(pid, before)
        with contextlib.suppress(OSError):  # it has ended
            for thread in os.listdir(f"/proc/{pid}/task"):  # it may have started some since
                _confine(int(thread), before)


def _take(cores: set[int]) -> int:
    """The core that this thread is on, or one that fewer workers of this process hold."""
    here = _here()
    with _one_at_a_time:
        core = min(cores, key=lambda core: (_holders[core], core != here, core))
        _holders[core] += 1
    return core


def _here() -> int:
    """The core that the calling thread is on, -1 if the system doesn't tell."""
    fields = stat_fields(Path("/proc/thread-self"))
    return int(fields[36]) if fields else -1


def _confine(pid: int, cores: set[int]) -> None:
    """Have a process, or with 0 the calling thread, run on these cores only."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(pid, cores)
