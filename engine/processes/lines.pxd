# See lines.pyx for details.

cimport cython
from libc.stdint cimport int64_t

from engine.kernel.game_core cimport Decision

cpdef enum:
    MOST_LINE_BYTES = 255           # bytes of a program's line in a dialogue, without its end
    MOST_ACTION_BYTES = 65600      # bytes of a line that answers a line of JSON

cdef enum:
    MOST_PIECES = 39

cdef struct Piece:          # text, and the value behind it
    const char* text
    size_t length
    int code                # the struct code of a field of the view, 0 for none
    int offset              # the field's offset in the view

cdef struct Line:
    bint only_tells
    int count
    size_t most_bytes
    Piece pieces[MOST_PIECES + 1]


@cython.final
cdef class QuestionLines:
    cdef Line* lines        # one for each kind of question
    cdef list kept          # what the pieces point to

    cdef add(self, int number, str text, int code, int offset)
    cdef size_t most_bytes(self, int kind) noexcept nogil
    cdef bint only_tells(self, int kind) noexcept nogil
    cdef size_t write(self, char* target, const Decision* decision, const unsigned char* view) noexcept nogil

cdef size_t find_action(const char* line, size_t* length) noexcept nogil
cdef bint read_whole(const char* text, size_t length, int64_t* value) noexcept nogil
