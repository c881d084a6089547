"""The limit of time for steps of rules in Python. Another thread interrupts a step that takes too long.

The watching thread wakes up regularly, so a step costs two writes and no clock reading. The exception waits for a
function of C to return. A process with one that never returns must be killed.
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
    """Raised in a step of rules that is to end. It is no Exception, because rules may catch those."""


@cython.final
cdef class Steps:
    """The steps of a core's rules, each with a limit in seconds, which soon end once `stopping()` is true.

    In a `with` block, other calls of the rules are steps, too.

    Args:
        seconds: The limit of a step.

    Raises:
        TimeoutError: A step was interrupted, because it took too long or the run is stopping.
        BrokenOff: A step begins after one was interrupted.
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
        """Start a step.

        Raises:
            BrokenOff: An earlier step was interrupted.
        """
        if self.broken_off:
            raise BrokenOff
        self.number += 1
        self.thread = PyThread_get_thread_ident()
        return 0

    cdef int end(self) except -1:
        """End a step.

        Raises:
            TimeoutError: The step was interrupted, because it took too long or the run is stopping.
        """
        cdef unsigned long thread = self.thread
        self.thread = 0
        if not self.broken_off:
            return 0
        PyThreadState_SetAsyncExc(thread, NULL)     # clears an exception that came after the step's end
        late = f"a step took more than the {self.seconds:g} s of rules_seconds_per_step"
        raise TimeoutError("the run is stopped" if self.stopped else late).with_traceback(sys.exc_info()[2]) from None

    def look(self, double elapsed):
        """Interrupt a step that takes too long, repeatedly if it continues, given the seconds since the last call."""
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
    """Add steps to those that the watching thread checks while they exist, and start that thread if there is none."""
    global _watching
    with _starting:
        _watched.add(steps)
        if _watching is None or not _watching.is_alive():   # a fork loses it, too
            _watching = threading.Thread(target=_look, name="steps of rules", daemon=True)
            _watching.start()


def _look():
    """Check all steps repeatedly, until none exist."""
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
