"""A core that a Python generator drives: what it asks next may depend on the answers."""

cimport cython
from libc.stdint cimport int64_t

from engine.game_core cimport LEG_OVER, GameCore, Status


@cython.final
cdef class GeneratorCore(GameCore):
    """Asks the bot at seat x, without views, what a generator of (kind, arguments) yields, and sends it the answers.

    `outcome` is what the generator returns, None before. An exception ends the
    game, and is kept as `failure`: the generator's own, or ValueError,
    TypeError and OverflowError for what is no question.
    """
    cdef object questions
    cdef readonly object outcome
    cdef readonly object failure
    cdef bint is_asking

    def __init__(self, questions):
        self.questions = questions
        self.sessions = 1

    cdef Status step(self, int64_t answer) noexcept nogil:
        with gil:
            return self.next_question(answer)

    cdef Status next_question(self, int64_t answer):
        try:
            kind, arguments = self.questions.send(answer if self.is_asking else None)
            self.is_asking = True
            self.game += 1
            return self.ask_x(kind, arguments)
        except StopIteration as over:
            self.outcome = over.value
        except Exception as failure:
            self.failure = failure
        return LEG_OVER
