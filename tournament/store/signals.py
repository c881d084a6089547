"""Steps that a signal must not interrupt."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_DEFERRED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def signals_deferred() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block is done. Only the main thread gets them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    # None stands for a handler that isn't Python's: it couldn't be restored.
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
