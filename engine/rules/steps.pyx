"""The time that rules in Python take for a step: one that takes too long is broken off from another thread.

A watching thread looks now and then; a step costs two writes and no look at a clock. What the thread can't break off,
since a function of C doesn't return, ends with the process.
"""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t
from posix.unistd cimport _exit, read, usleep, write

import faulthandler
import os
import signal
import sys
import threading
import traceback
import weakref

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident()
    int PyThreadState_SetAsyncExc(unsigned long thread, PyObject* exception)

cdef double LOOK_SECONDS = 0.1
# For which a step may go on when it is broken off, before the process ends.
cdef double GRACE = 1.0
cdef double GRACE_OF_STOP = 0.3

# While the watching thread looks, and how often it did: so another one sees whether Python still runs.
cdef volatile bint is_looking = False
cdef volatile int64_t looks = 0
cdef int LOOKS_PER_ALARM = 10
_STUCK = b"tournament: a function of C in the rules does not return; the process ends\n"
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
        """Break off a step that took too long; `elapsed`: seconds since the last look. Returns the thread and the
        exit code where it goes on all the same, so that the process must end."""
        cdef double grace
        if not self.stopped and self.stopping is not None and self.stopping():
            self.stopped = self.broken_off = True
            self.waited = self.seconds
        if self.thread == 0 or self.seen != self.number:
            self.seen = self.number
            self.waited = self.seconds if self.stopped else 0.0
        else:
            self.waited += elapsed
        if self.thread == 0 or self.waited < self.seconds:
            return None
        grace = GRACE_OF_STOP if self.stopped else GRACE
        if self.waited >= self.seconds + grace:
            return self.thread, 130 if self.stopped else 1
        self.broken_off = True
        PyThreadState_SetAsyncExc(self.thread, <PyObject*>BrokenOff)
        return None


def _watch(steps):
    """Have them looked at, as long as they are there."""
    global is_looking, _watching
    with _starting:
        _watched.add(steps)
        if _watching is None or not _watching.is_alive():   # also after a fork, which leaves it behind
            _set_alarm()    # the first step may keep the thread from ever looking
            is_looking = True
            _watching = threading.Thread(target=_look, name="steps of rules", daemon=True)
            _watching.start()


def _set_alarm():
    """Where a function of C keeps all Python from running, tell each thread's file and line, and end the process."""
    seconds = max([steps.seconds for steps in _watched])
    faulthandler.dump_traceback_later(seconds + 2 * GRACE, exit=True, file=sys.__stderr__ or 2)


def _look():
    """Look at all steps, until there are none."""
    global is_looking, looks, _watching
    rest = threading.Event()
    while True:
        rest.wait(LOOK_SECONDS)
        with _starting:
            watched = list(_watched)
            if not watched:
                faulthandler.cancel_dump_traceback_later()
                is_looking = False
                _watching = None
                return
            if looks % LOOKS_PER_ALARM == 0:
                _set_alarm()
        for steps in watched:
            found = steps.look(LOOK_SECONDS)
            if found is not None:
                _end_process(steps, *found)
        watched = steps = None
        looks += 1


def end_on_signals():
    """Have SIGTERM and SIGINT end this process even where a function of C keeps Python from handling them. Only the
    main thread may call this."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    threading.Thread(target=_heed, args=(reads,), name="signals", daemon=True).start()


def _heed(int signals):
    """End the process when a signal came and Python doesn't run on."""
    cdef unsigned char number
    cdef int64_t before
    cdef const char* words = _STUCK
    cdef size_t length = len(_STUCK)
    with nogil:
        while read(signals, &number, 1) == 1:
            before = looks
            usleep(700_000)
            if is_looking and looks == before:
                write(2, words, length)
                _exit(130)


def _end_process(steps, thread, code):
    """End it, with a line that says where the step is."""
    place = traceback.extract_stack(sys._current_frames().get(thread))[-1:]
    where = "".join(f" ({os.path.basename(frame.filename)}, line {frame.lineno})" for frame in place)
    what = "after the run was stopped" if code == 130 else f"after {steps.seconds + GRACE:g} s"
    line = f"tournament: a step of the rules does not return {what}{where}; the process ends\n"
    os.write(2, line.encode("utf-8", "replace"))
    os._exit(code)
