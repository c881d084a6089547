"""One core for a worker and the shared processes that it asks in turn, where there are as many workers as cores.

While one of them runs, the others wait. Spread over several cores, each message has to wake a core, which takes
several times as long as a change of process on one. With fewer workers the system finds idle cores for who is slow.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

# How many workers of this process hold each core.
_holders: Counter[int] = Counter()
_one_at_a_time = threading.Lock()


class OneCore:
    """The core of one worker's thread and of its shared processes. Where the system refuses, nothing happens."""

    def __init__(self) -> None:
        self._core: int | None = None
        self._kept: dict[int, set[int]] = {}  # the cores that each process kept here could use before

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

    def look(self, processes: Iterable[int], workers: int) -> None:
        """Keep these processes here, by their numbers, if so many workers leave no core idle."""
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        if not 1 < len(cores) <= workers or self._core not in (None, *cores):
            self.leave()
            return
        if self._core is None:
            with _one_at_a_time:
                self._core = min(cores, key=lambda core: (_holders[core], core))
                _holders[self._core] += 1
        for pid in processes:
            if pid not in self._kept:
                with contextlib.suppress(OSError):  # it has ended
                    self._kept[pid] = os.sched_getaffinity(pid)
                    _confine(pid, {self._core})

    def forget(self, pid: int) -> None:
        """Forget a process before it is ended: its number may soon be another's."""
        self._kept.pop(pid, None)

    def leave(self) -> None:
        """Give up the core, and let the processes use the cores that they could use before."""
        while self._kept:
            _confine(*self._kept.popitem())
        if self._core is not None:
            with _one_at_a_time:
                _holders[self._core] -= 1
            self._core = None


def _confine(pid: int, cores: set[int]) -> None:
    """Have a process, or with 0 the calling thread, run on these cores only."""
    with contextlib.suppress(OSError):
        os.sched_setaffinity(pid, cores)
