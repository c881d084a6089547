"""Games that are none: one bot is asked a list of questions, or what its last answer leads to."""

cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from engine.game_core cimport DECIDE, LEG_OVER, MOST_ARGUMENTS, MOST_VIEW_BYTES, GameCore, Status


@cython.final
cdef class ScriptedCore(GameCore):
    """Asks the bot at seat x. `questions` are (kind, arguments, view), each view of `view_size` bytes.

    `game` of its position is the number of the question. `answers` fills as they come.
    """
    cdef list questions
    cdef readonly list answers
    cdef bint is_asking

    def __init__(self, questions, int view_size):
        if view_size > MOST_VIEW_BYTES or any(
            len(arguments) > MOST_ARGUMENTS or len(view) != view_size for _, arguments, view in questions
        ):
            raise ValueError("a question with more arguments or another view than questions have")
        self.questions = list(questions)
        self.answers = []
        self.view_size = view_size
        self.sessions = 1

    cdef int64_t default_answer(self) noexcept nogil:
        return 0

    cdef Status step(self, int64_t answer) noexcept nogil:
        with gil:
            return self.next_question(answer)

    cdef Status next_question(self, int64_t answer):
        cdef const unsigned char* content
        if self.is_asking:
            self.answers.append(answer)
            self.game += 1
        if self.game == len(self.questions):
            return LEG_OVER
        self.is_asking = True
        kind, arguments, view = self.questions[self.game]
        self.decision.kind = kind
        self.decision.seat = 0
        self.decision.argument_count = <int>len(arguments)
        for i, argument in enumerate(arguments):
            self.decision.arguments[i] = argument
        content = view
        memcpy(self.windows[0], content, self.view_size)
        return DECIDE


@cython.final
cdef class GeneratorCore(GameCore):
    """Asks the bot at seat x, without views, what a generator of (kind, arguments) yields, and sends it the answers.

    `outcome` is what the generator returns, None before; an exception that ends it
    ends the game, and is kept as `failure`.
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
        except StopIteration as over:
            self.outcome = over.value
            return LEG_OVER
        except Exception as failure:
            self.failure = failure
            return LEG_OVER
        self.is_asking = True
        self.game += 1
        self.decision.kind = kind
        self.decision.seat = 0
        self.decision.argument_count = <int>len(arguments)
        for i, argument in enumerate(arguments):
            self.decision.arguments[i] = argument
        return DECIDE
