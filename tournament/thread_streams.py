"""Standard output and error of each thread.

Rules in Python may import an engine that redirects `sys.stdout` around its steps, as `contextlib.redirect_stdout` does.
The interpreter has one `sys.stdout` for all threads, so two simultaneous legs would restore each
other's. So each thread but the main one gets its own `sys.stdout` and `sys.stderr`.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

_NAMES = ("stdout", "stderr")
_thread_streams = threading.local()
_lock = threading.Lock()
_users = 0


class _Dispatcher:
    """The file in `sys.stdout`'s place: it passes every call to the current thread's stream."""

    def __init__(self, name: str, shared: Any) -> None:
        self.name_in_sys = name
        self.shared = shared

    def __getattr__(self, name: str) -> Any:
        return getattr(_thread_stream(self), name)


def _thread_stream(dispatcher: _Dispatcher) -> Any:
    """Return the stream that this thread has set, or the process's if it has set none."""
    return getattr(_thread_streams, dispatcher.name_in_sys, dispatcher.shared)


def _stream_property(name: str) -> property:
    """Return the property of `sys` that gives and takes each thread's own stream of this name."""

    def get(module: types.ModuleType) -> Any:
        """Return the stream of this thread."""
        return _thread_stream(module.__dict__[name])

    def set_stream(module: types.ModuleType, stream: Any) -> None:
        """Set the stream of this thread, or in the main thread the process's."""
        if threading.current_thread() is threading.main_thread():
            module.__dict__[name].shared = stream
        else:
            setattr(_thread_streams, name, stream)

    return property(get, set_stream)


class _SysModule(types.ModuleType):
    """The type of `sys` while threads have streams of their own."""

    stdout = _stream_property("stdout")
    stderr = _stream_property("stderr")


@contextlib.contextmanager
def separate_streams() -> Iterator[None]:
    """Let each thread but the main one set `sys.stdout` and `sys.stderr` for itself alone, within this context.

    Contexts of several threads can overlap. The last one that ends restores `sys`.
    """
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            for name in _NAMES:
                sys.__dict__[name] = _Dispatcher(name, sys.__dict__[name])
            sys.__class__ = _SysModule
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.__class__ = types.ModuleType
                for name in _NAMES:
                    sys.__dict__[name] = sys.__dict__[name].shared
