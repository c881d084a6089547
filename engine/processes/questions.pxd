# See questions.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.kernel.game_core cimport GameCore
from engine.processes.channels cimport Channel
from engine.processes.messages cimport Question


@cython.final
cdef class QuestionWriter:
    cdef int view_size
    cdef bint tells_values
    cdef size_t stride
    cdef uint64_t news          # kinds of decisions, as bits, that programs don't answer
    cdef list lines             # by kind the line with a place for each value, and their struct codes and offsets
    cdef object trouble         # an exception that is no bot's fault

    cdef bint add(self, Channel* channel, int lane, int slot, void* core) noexcept nogil
    cdef int add_order(self, Channel* channel, int kind, int slot, int64_t argument) except -1
    cdef Question* next_question(self, Channel* channel, int slot, int kind) noexcept nogil
    cdef bint is_only_told(self, Channel* channel, int kind) noexcept nogil
    cdef bint add_line(self, Channel* channel, void* core) noexcept nogil
    cdef bytes line_of(self, GameCore core)
    cdef bint add_values(self, Channel* channel, void* core) noexcept with gil
    cdef bint add_dialogue(self, Channel* channel) noexcept with gil
    cdef bint add_lines(self, Channel* channel, lines) except -1
