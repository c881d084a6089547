"""One core for a worker and the processes that it asks in turn.

While one of them runs, the others wait. Spread over several cores, each message has to wake a core, which takes
several times as long as a change of process on one. A process that takes long over messages gets all cores back,
since it could run beside others. So do all of them when something else needs this core.
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

# A message for which a process takes longer is hardly faster on one core.
QUICK_SECONDS = 0.0003
# Worker and processes use more than this of a core of their own; if they use less, something else runs there, too.
_LEAST_SHARE = 0.7
# For how many looks a core is kept even so: at first, and at most.
_SHORTEST_HOLD, _LONGEST_HOLD = 2, 64

# How many workers of this process hold each core.
_holders: Counter[int] = Counter()
_one_at_a_time = threading.Lock()


@dataclass(frozen=True)
class Asked:
    """A process: how many messages it was sent, whether one is unanswered, and its processor time in seconds."""

    pid: int
    messages: int
    outstanding: bool
    cpu_seconds: float


class OneCore:
    """The core of one worker's thread and of those of its processes that answer quickly.

    Where the thread may use only one, or the system refuses, nothing happens.
    """

    def __init__(self) -> None:
        self._core: int | None = None
        self._before: dict[int, set[int]] = {}  # cores that the processes kept here could use before
        self._seen: dict[int, Asked] = {}
        self._thread_seconds = time.thread_time()
        self._looks = 0
        self._hold = _SHORTEST_HOLD

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the calling thread on the core, if there is one. Threads that it starts meanwhile would stay there."""
        if self._core is None:
            yield
            return
        before = os.sched_getaffinity(0)
        if self._core in before and _confine(0, {self._core}):
            try:
                yield
            finally:
                _confine(0, before)
        else:
            self.leave()
            yield

    def look(self, processes: Iterable[Asked], elapsed: float) -> None:
        """Decide anew which processes are kept here. `elapsed`: seconds since the look before."""
        now = {process.pid: process for process in processes}
        seen, self._seen = self._seen, now
        thread_seconds, self._thread_seconds = self._thread_seconds, time.thread_time()
        used = self._thread_seconds - thread_seconds
        for pid in self._before.keys() - now.keys():
            self._release(pid)
        quick = []
        for pid, process in now.items():
            last = seen.get(pid)
            if last is None:
                continue
            seconds, messages = process.cpu_seconds - last.cpu_seconds, process.messages - last.messages
            used += seconds
            if messages and seconds < messages * QUICK_SECONDS:
                quick.append(pid)
            elif process.outstanding:
                self._release(pid)
        if self._core is not None:
            self._looks += 1
            if used < _LEAST_SHARE * elapsed and self._looks >= self._hold:
                # The system chooses other cores until the next look. If this happens again, moving didn't help.
                self._hold = min(2 * self._hold, _LONGEST_HOLD)
                self.leave()
                return
        elif quick:
            self._core = _take()
            self._looks = 0
        if self._core is not None:
            for pid in quick:
                self._keep(pid, self._core)
            if not self._before:
                self.leave()

    def forget(self, pid: int) -> None:
        """Forget a process before it is ended: its number may soon be another's."""
        self._before.pop(pid, None)
        self._seen.pop(pid, None)

    def leave(self) -> None:
        """Give up the core, and let the processes use the cores that they could use before."""
        for pid in list(self._before):
            self._release(pid)
        if self._core is not None:
            with _one_at_a_time:
                _holders[self._core] -= 1
            self._core = None

    def _keep(self, pid: int, core: int) -> None:
        if pid not in self._before:
            with contextlib.suppress(OSError):  # it has ended
                before = os.sched_getaffinity(pid)
                if core in before and _confine(pid, {core}):
                    self._before[pid] = before

    def _release(self, pid: int) -> None:
        if pid in self._before:
            before = self._before.pop(pid)
            _confine(pid, before)
            with contextlib.suppress(OSError):  # it has ended
                for thread in os.listdir(f"/proc/{pid}/task"):  # it may have started some since
                    _confine(int(thread), before)


def _take() -> int | None:
    """The core that this thread is on, or one that fewer workers of this process hold; None without a choice."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        return None
    here = _here()
    with _one_at_a_time:
        core = min(allowed, key=lambda core: (_holders[core], core != here, core))
        _holders[core] += 1
    return core


def _here() -> int:
    """The core that the calling thread is on, -1 if the system doesn't tell."""
    try:
        return int(Path("/proc/thread-self/stat").read_text().rsplit(")", 1)[1].split()[36])
    except (OSError, ValueError, IndexError):
        return -1


def _confine(pid: int, cores: set[int]) -> bool:
    """Have a process, or with 0 the calling thread, run on these cores only; false when that can't be."""
    try:
        os.sched_setaffinity(pid, cores)
    except OSError:
        return False
    return True
