"""Threads that wait for confined commands. If the thread that started them stops, these commands end."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

# Set while confined commands must end.
ending = threading.Event()


class CommandAborted(Exception):
    """Raised when a command was ended because the thread that waits for it stops."""


@contextlib.contextmanager
def threads_that_end(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Provide threads whose confined commands end, and aren't started any more, once this thread stops.

    If the block raises an exception, waiting tasks are cancelled. Running commands end, and their threads get
    CommandAborted. The order to end counts for the whole process. The end of the block waits for all threads in any
    case.

    Args:
        workers: Maximum number of threads.

    Yields:
        The pool to which tasks are given.
    """
    try:
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield pool
            except BaseException:
                ending.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    finally:
        ending.clear()
