"""The time that rules in Python take for a step: one that takes too long is broken off from another thread.

A watching thread looks now and then; a step costs two writes and no look at a clock. What it raises waits for a function
of C to return: one that never does must be killed with the process.
"""

cimport cython
from cpython.ref cimport PyObject

import sys
import threading
import weakref

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident()
    int PyThreadState_SetAsyncExc(unsigned long thread, PyObject* exception)

cdef double LOOK_SECONDS = 0.1
_watched = weakref.WeakSet()
_starting = threading.Lock()
_watching = None


class BrokenOff(BaseException):
    """Raised in a step of rules that is to end; no Exception, since rules may catch those."""


@cython.final
cdef class Steps:
    """The steps of a core's rules, each of which may take so many seconds, and ends soon once `stopping()`.

    `with` it, other calls of the rules are steps, too. Raises TimeoutError for a step that was broken off.
    """

    def __init__(self, double seconds):
        self.seconds = seconds
        _watch(self)

    def __enter__(self):
        self.begin()
        return self

    def __exit__(self, kind, error, trace):
        self.end()

    cdef int begin(self) except -1:
        if self.broken_off:
            raise BrokenOff
        self.number += 1
        self.thread = PyThread_get_thread_ident()
        return 0

    cdef int end(self) except -1:
        cdef unsigned long thread = self.thread
        self.thread = 0
        if not self.broken_off:
            return 0
        PyThreadState_SetAsyncExc(thread, NULL)     # where the step ended before it was raised there
        what = "the run is stopped" if self.stopped else f"a step took more than {self.seconds:g} s"
        raise TimeoutError(what).with_traceback(sys.exc_info()[2]) from None

    def look(self, double elapsed):
        """Break off a step that took too long, again and again if it goes on; `elapsed`: seconds since the last look."""
        if not self.stopped and self.stopping is not None and self.stopping():
            self.stopped = True
        if self.thread == 0 or self.seen != self.number:
            self.seen = self.number
            self.waited = 0.0
        else:
            self.waited += elapsed
        self.broken_off |= self.stopped
        if self.thread != 0 and (self.stopped or self.waited >= self.seconds):
            self.broken_off = True
            PyThreadState_SetAsyncExc(self.thread, <PyObject*>BrokenOff)


def _watch(steps):
    """Have them looked at, as long as they are there."""
    global _watching
    with _starting:
        _watched.add(steps)
        if _watching is None or not _watching.is_alive():   # also after a fork, which leaves it behind
            _watching = threading.Thread(target=_look, name="steps of rules", daemon=True)
            _watching.start()


def _look():
    """Look at all steps, until there are none."""
    global _watching
    rest = threading.Event()
    while True:
        rest.wait(LOOK_SECONDS)
        with _starting:
            watched = list(_watched)
            if not watched:
                _watching = None
                return
        for steps in watched:
            steps.look(LOOK_SECONDS)
        watched = steps = None
