"""A core without a game: it asks one bot a list of questions."""

cimport cython
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from engine.kernel.game_core cimport DECIDE, LEG_OVER, GameCore, Status
from engine.kernel.limits cimport MAX_VIEW_BYTES


@cython.final
cdef class ScriptedCore(GameCore):
    """Asks the bot at seat 0 a list of questions. The number of the game is that of the question.

    Args:
        questions: Kind and view of each question.
        view_size: Size of a view in bytes.

    Attributes:
        answers: Answers so far.

    Raises:
        ValueError: A view has another size, or the size is too large.
    """
    cdef list questions
    cdef readonly list answers
    cdef bint is_asking

    def __init__(self, questions, int view_size):
        self.questions = [(<int>kind, bytes(view)) for kind, view in questions]
        if not 0 <= view_size <= MAX_VIEW_BYTES:
            raise ValueError(f"a view has {view_size} bytes, at most {int(MAX_VIEW_BYTES)} are possible")
        for _, view in self.questions:
            if len(view) != view_size:
                raise ValueError(f"a view has {len(view)} bytes, {view_size} were announced")
        self.answers = []
        self.view_size = view_size
        self.sessions = 1

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
        self.decision.kind, view = self.questions[self.game]
        content = view
        memcpy(self.windows[0], content, self.view_size)
        return DECIDE
