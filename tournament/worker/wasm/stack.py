"""Threads whose stacks have room for bots' calls: beyond a thread's stack the process would crash."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from tournament.artifacts.limits import BOT_STACK
from tournament.errors import RunError

# Twice what bots are allowed: the runtime's frames are larger than those of C compilers for the same function.
MOST_STACK = 2 * BOT_STACK
_MORE = 2 << 20  # space for code that calls the runtime, or is called by it
_OF_THREADS = MOST_STACK + 2 * _MORE
_MOST_THREADS = 64
_LOOK_SECONDS = 0.2

P = ParamSpec("P")
T = TypeVar("T")

_setting = threading.Lock()
_here = threading.local()
_deep = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="deep")
_threads = ctypes.CDLL(None)


@contextmanager
def deep_threads() -> Iterator[None]:
    """Give threads that are started within room for bots' calls. Only pages that are used take memory."""
    with _setting:
        before = threading.stack_size(_OF_THREADS)
        try:
            yield
        finally:
            threading.stack_size(before)


def on_deep_stack(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function on a stack deep enough for bots: on this thread, or on one of our own while this one waits.

    Ctrl-C is raised only when the function has returned, because it still uses the bots. Until then `was_interrupted`
    reports it. The function's exceptions are passed on.

    Raises:
        RunError: No such thread can be started.
    """
    if _has_room():
        return function(*arguments, **named)
    pressed: list[bool] = []
    try:
        with deep_threads():
            future = _deep.submit(_heeding, pressed, lambda: function(*arguments, **named))
    except RuntimeError as trouble:
        raise RunError(f"this machine gives a thread no {_OF_THREADS >> 20} MB of stack: {trouble}") from None
    interrupted: KeyboardInterrupt | None = None
    while True:
        try:
            # Ctrl-C may reach another thread: this one learns of it only when it wakes.
            future.exception(_LOOK_SECONDS)
            break
        except TimeoutError:
            continue
        except KeyboardInterrupt as ctrl_c:
            interrupted = ctrl_c
            pressed.append(True)
    if interrupted:
        raise interrupted
    return future.result()


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed in the thread that waits for this one."""
    return bool(getattr(_here, "pressed", ()))


def _heeding(pressed: list[bool], function: Callable[[], T]) -> T:
    _here.pressed = pressed
    try:
        return function()
    finally:
        _here.pressed = None


def deeply(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with all its calls on a deep stack."""

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> T:
        return on_deep_stack(function, *arguments, **named)

    return called


def _has_room() -> bool:
    """Return whether this thread's stack is deep enough for bots' calls."""
    try:
        return bool(_here.has_room)
    except AttributeError:
        _here.has_room = _stack_size() >= MOST_STACK + _MORE
        return _has_room()


def _stack_size() -> int:
    """Bytes of this thread's stack, or 0 where the system doesn't tell."""
    attributes = ctypes.create_string_buffer(256)  # more than any pthread_attr_t has
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if _threads.pthread_getattr_np(ctypes.c_ulong(threading.get_ident()), attributes):
        return 0
    _threads.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
    _threads.pthread_attr_destroy(attributes)
    return size.value
