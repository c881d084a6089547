"""Threads whose stacks have room for bots' calls: beyond a thread's stack the process would crash."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

from tournament.artifacts.limits import BOT_STACK
from tournament.errors import RunError

# Twice what bots are allowed: the runtime's frames are larger than those of C compilers for the same function.
MAX_STACK = 2 * BOT_STACK
_MORE = 2 << 20  # space for code that calls the runtime, or is called by it
_THREAD_BYTES = MAX_STACK + 2 * _MORE
_POLL_SECONDS = 0.2

P = ParamSpec("P")
T = TypeVar("T")

_setting = threading.Lock()
_thread_state = threading.local()
_threads = ctypes.CDLL(None)


@contextmanager
def deep_threads() -> Iterator[None]:
    """Give threads that start in the block a stack for bots' calls. Only pages that are used take memory.

    One thread at a time can be in such a block. Others wait.
    """
    with _setting:
        before = threading.stack_size(_THREAD_BYTES)
        try:
            yield
        finally:
            threading.stack_size(before)


# The calls of each thread that has none now. An executor's futures would take twice the time of a short call.
_idle: list[SimpleQueue[Callable[[], None]]] = []
os.register_at_fork(after_in_child=_idle.clear)  # The threads aren't in the child.


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
    returned: list[T] = []
    raised: list[BaseException] = []
    has_ended = threading.Lock()
    has_ended.acquire()

    def call() -> None:
        """Call the function in a deep thread, and keep its result or exception."""
        _thread_state.pressed = pressed
        try:
            returned.append(function(*arguments, **named))
        except BaseException as error:
            raised.append(error)
        _thread_state.pressed = None
        _idle.append(calls)
        has_ended.release()

    try:
        calls = _idle.pop()
    except IndexError:
        calls = _new_thread()
    calls.put(call)
    interrupted: KeyboardInterrupt | None = None
    while not (returned or raised):
        try:
            # Ctrl-C can reach another thread. This one learns of it only when it wakes.
            has_ended.acquire(timeout=_POLL_SECONDS)
        except KeyboardInterrupt as ctrl_c:
            interrupted = ctrl_c
            pressed.append(True)
    if interrupted:
        raise interrupted
    if raised:
        raise raised.pop()
    return returned[0]


def _new_thread() -> SimpleQueue[Callable[[], None]]:
    """Start a thread with a deep stack, and return the queue from which it takes its calls.

    Raises:
        RunError: The machine gives a thread no such stack.
    """
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def run_calls() -> None:
        """Run the calls of the queue indefinitely."""
        while True:
            calls.get()()

    try:
        with deep_threads():
            threading.Thread(target=run_calls, daemon=True, name="deep").start()
    except RuntimeError as trouble:
        raise RunError(f"this machine gives a thread no {_THREAD_BYTES >> 20} MB of stack: {trouble}") from None
    return calls


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed in the thread that waits for this one. It is False in other threads."""
    return bool(getattr(_thread_state, "pressed", ()))


def deeply(function: Callable[P, T]) -> Callable[P, T]:
    """Return the function with all its calls on a deep stack."""

    @wraps(function)
    def called(*arguments: P.args, **named: P.kwargs) -> T:
        """Call the function on a deep stack.

        Raises:
            RunError: No deep thread can be started.
        """
        return on_deep_stack(function, *arguments, **named)

    return called


def _has_room() -> bool:
    """Return whether this thread's stack is deep enough for bots' calls."""
    try:
        return bool(_thread_state.has_room)
    except AttributeError:
        _thread_state.has_room = _stack_size() >= MAX_STACK + _MORE
        return _has_room()


def _stack_size() -> int:
    """Return the bytes of this thread's stack, or 0 if the system doesn't report them."""
    attributes = ctypes.create_string_buffer(256)  # more than any pthread_attr_t has
    start, size = ctypes.c_void_p(), ctypes.c_size_t()
    if _threads.pthread_getattr_np(ctypes.c_ulong(threading.get_ident()), attributes):
        return 0
    _threads.pthread_attr_getstack(attributes, ctypes.byref(start), ctypes.byref(size))
    _threads.pthread_attr_destroy(attributes)
    return size.value
