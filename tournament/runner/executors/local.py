"""Plays in threads of this process: the core holds no GIL."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for

from tournament.runner.executors import run_tasks
from tournament.thread_streams import separate_streams
from tournament.worker.batch import Receipt, Task, play_task
from tournament.worker.wasm.stack import deep_threads

# The system can deliver Ctrl-C to any thread, and the main one learns of it only when it wakes.
_POLL_SECONDS = 0.2


class LocalExecutor:
    """`workers` threads play. Closing the iterator stops them at their next full table of records.

    There are twice as many threads, each with a task: while one waits for the disk, another plays.

    Args:
        workers: Number of tasks that play simultaneously, at least 1.

    Attributes:
        name: "local".
        cluster: None, because there is no cluster.
        workers: Number of tasks that play simultaneously.
        waited: Seconds in which `play` could only wait for threads.
    """

    name = "local"
    cluster = None

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.waited = 0.0

    def play(
        self, next_task: Callable[[], Task | None], artifacts: Mapping[str, bytes]
    ) -> Generator[list[Receipt], None, None]:
        """Play tasks in threads of this process.

        Args:
            next_task: Returns the next task, or None if there is none now.
            artifacts: Contents of bots and house players, by sha256. They must not be changed until the end.

        Yields:
            The receipts of tasks that have ended, in any order.

        Raises:
            InputError: This machine can't confine a bot, or can't load the contest's rules.
            RunError: This machine can't play, or the object store's request fails.
            OSError: Parts can't be written.
            ValueError: Parts that were just written can't be read again.
        """
        stop = threading.Event()
        pool = ThreadPoolExecutor(2 * self.workers, thread_name_prefix="play")
        turns = threading.BoundedSemaphore(self.workers)

        def start(task: Task) -> Future[Receipt]:
            """Start a task in a thread with a deep stack. It waits there for its turn to play."""
            with deep_threads():
                return pool.submit(play_task, task, artifacts, stop.is_set, turns)

        with separate_streams():
            try:
                yield from run_tasks(next_task, lambda: 2 * self.workers, start, self._wait, Future[Receipt].result, [])
            finally:
                stop.set()
                pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Do nothing, because no thread outlives `play`."""

    def _wait(self, running: list[Future[Receipt]]) -> tuple[list[Future[Receipt]], list[Future[Receipt]]]:
        """Wait for at most 0.2 seconds, and return the tasks that are done and the others, both in any order."""
        began = time.perf_counter()
        done, others = wait_for(running, _POLL_SECONDS, FIRST_COMPLETED)
        self.waited += time.perf_counter() - began
        return list(done), list(others)
