"""Cores that Python generators drive: what they ask next may depend on the answers."""

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from engine.kernel.game_core cimport LEG_OVER, GameCore, Status

cdef extern from "Python.h":
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT
    PySendResult PyIter_Send(object generator, object value, PyObject** result) except PYGEN_ERROR
    void Py_DECREF(PyObject* referred)

OVER = object()     # instead of a question


cdef class GeneratorCore(GameCore):
    """Asks the bot at seat x, without views, what a generator of (kind, arguments) yields, and sends it the answers.

    `outcome` is what the generator returns, None before. An exception ends the
    leg, and is kept as `failure`: the generator's own, or ValueError,
    TypeError and OverflowError for what is no question.
    """

    def __init__(self, questions):
        self.generator = questions
        self.sessions = 1

    cdef Status step(self, int64_t answer) noexcept nogil:
        with gil:
            try:
                return self.play_on(answer)
            except BaseException as failure:
                self.failure = failure
                return LEG_OVER

    cdef Status play_on(self, int64_t answer) except *:
        question = self.resume(answer if self.is_asking else None)
        if question is OVER:
            return LEG_OVER
        kind, arguments = question
        self.is_asking = True
        self.game += 1
        return self.ask_x(kind, arguments)

    cdef object resume(self, answer):
        """What the generator yields next, or OVER once it has returned; `outcome` is its result."""
        cdef PyObject* yielded = NULL
        cdef PySendResult result = PyIter_Send(self.generator, answer, &yielded)
        found = <object>yielded
        Py_DECREF(yielded)
        if result == PYGEN_NEXT:
            return found
        self.outcome = found
        return OVER
