"""One core for a worker and the Python bots' processes that it asks, used by the pool of processes.

While one of them runs, the others wait. If they were spread over several cores, each message would have to wake a core.
That takes several times as long as a change of process on one core. If they take long over messages, they could run
simultaneously, so they get all cores again for a moment. They also do if something else needs this core.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tournament.sandbox.outside.process_time import stat_fields

# Processor time of a message, in seconds: bots that take longer are hardly faster on one core.
QUICK_SECONDS = 0.0003
# Minimum share of their core that worker and bots use, over a time in seconds. Otherwise it runs something else, too.
_MIN_SHARE, _SHARE_SECONDS = 0.7, 1.0

# How many workers of this process hold each core.
_holders: Counter[int] = Counter()
_lock = threading.Lock()


class Load(NamedTuple):
    """A process's load since it started.

    Attributes:
        messages: Number of messages to it.
        cpu_seconds: Its processor time in seconds.
    """

    messages: int
    cpu_seconds: float


class CoreAffinity:
    """The core of one worker's thread and of its bots' processes. If the system refuses, nothing happens.

    At first there is no core. `look` chooses one, and `leave` must be called in the end.
    """

    def __init__(self) -> None:
        self._core: int | None = None
        self._kept: set[int] = set()
        self._seen: Mapping[int, Load] = {}
        self._share_began, self._used, self._thread_seconds = time.monotonic(), 0.0, time.thread_time()

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the calling thread on the core in the block, if there is one. Threads started within stay there.

        Afterwards the calling thread can use the cores that it could use before.
        """
        if self._core is None:
            yield
            return
        before = os.sched_getaffinity(0)
        _confine(0, {self._core})
        try:
            yield
        finally:
            _confine(0, before)

    def look(self, loads: Mapping[int, Load]) -> None:
        """Confine processes to the core if they were quick since the last look. Otherwise give the core up.

        It is also given up if there was no message, something else uses it, or there is only one core.

        Args:
            loads: Loads up to now, by process ID. It is kept, so it must not be changed.
        """
        both = loads.keys() & self._seen.keys()
        messages = sum(loads[pid].messages - self._seen[pid].messages for pid in both)
        seconds = sum(loads[pid].cpu_seconds - self._seen[pid].cpu_seconds for pid in both)
        self._seen, now, thread_seconds = loads, time.monotonic(), time.thread_time()
        self._used += seconds + thread_seconds - self._thread_seconds
        self._thread_seconds = thread_seconds
        crowded = False
        if (elapsed := now - self._share_began) >= _SHARE_SECONDS:
            crowded = self._used < _MIN_SHARE * elapsed
            self._share_began, self._used = now, 0.0
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        if not messages or seconds > QUICK_SECONDS * messages or crowded or len(cores) < 2:
            self.leave()  # the system can choose another core until the next look
            return
        if self._core is None:
            self._core = _choose_core(cores)
        for pid in loads.keys() - self._kept:
            _confine(pid, {self._core})
        self._kept = set(loads)

    def forget(self, pid: int) -> None:
        """Forget a process before it is ended, because its process ID might soon be another's."""
        self._kept.discard(pid)

    def leave(self) -> None:
        """Give up the core, if there is one, and let the processes use all that the calling thread can use."""
        if self._core is None:
            return
        cores = os.sched_getaffinity(0)
        for pid in self._kept:
            with contextlib.suppress(OSError):  # the process can have ended
                for thread in os.listdir(f"/proc/{pid}/task"):
                    _confine(int(thread), cores)
        self._kept.clear()
        with _lock:
            _holders[self._core] -= 1
        self._core = None


def _choose_core(cores: set[int]) -> int:
    """Return a core that the fewest workers of this process hold, and count one more holder.

    Among several such cores the one that this thread is on comes first, otherwise the one with the lowest number.

    Args:
        cores: Numbers of the cores to choose from, at least one.
    """
    fields = stat_fields(Path("/proc/thread-self"))
    current = int(fields[36]) if fields else -1
    with _lock:
        core = min(cores, key=lambda core: (_holders[core], core != current, core))
        _holders[core] += 1
    return core


def _confine(pid: int, cores: set[int]) -> None:
    """Let a process, or with 0 the calling thread, run on these cores only, unless the system refuses."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(pid, cores)
