"""Steps that a signal must not divide."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_DEFERRED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Let Ctrl-C and polite ends wait until the block is done. They reach the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    # None: a handler that isn't Python's, which couldn't be put back.
    handlers = {number: handler for number in _DEFERRED if (handler := signal.getsignal(number)) is not None}
    try:
        for number in handlers:
            signal.signal(number, lambda caught, frame: came.append(caught))
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for caught in came:
            signal.raise_signal(caught)
