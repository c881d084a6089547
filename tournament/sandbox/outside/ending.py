"""Threads that wait for confined commands, which end once what started these threads stops."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

# Whether confined commands are to end.
ending = threading.Event()


class Ended(Exception):
    """A command was ended because the thread that waits for it stops."""


@contextlib.contextmanager
def threads_that_end(workers: int) -> Iterator[ThreadPoolExecutor]:
    """Threads whose confined commands end, and are begun no more, once this thread stops: by Ctrl-C, or an error."""
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
