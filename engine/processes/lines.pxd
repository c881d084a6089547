# See lines.pyx for details.

cimport cython
from libc.stdint cimport int64_t

from engine.kernel.game_core cimport Decision
from engine.processes.messages cimport MOST_QUESTIONS

cpdef enum:
    TEXT                    # kinds of a line's segments, beside the struct codes of the view's fields
    ARGUMENT
    MOST_PIECE = 31         # bytes of a piece of text, and of a word that answers
    MOST_LINE_BYTES = 255   # of a program's line, its end not counted

cdef enum:
    MOST_SEGMENTS = 24
    MOST_WORDS = 8
    LONGEST_QUESTION = 64 * MOST_SEGMENTS   # bytes

cdef struct Segment:
    int kind
    int number              # of the argument, or the field's offset
    int length
    char text[MOST_PIECE]

cdef struct Word:           # a way to answer
    int length
    bint takes_number
    int64_t value
    char text[MOST_PIECE]

cdef struct Line:
    int segment_count
    int word_count
    Segment segments[MOST_SEGMENTS]
    Word words[MOST_WORDS]


@cython.final
cdef class QuestionLines:
    cdef Line lines[MOST_QUESTIONS]

    cdef size_t write(self, char* target, const Decision* decision, const unsigned char* view) noexcept nogil
    cdef const char* read(self, int kind, const char* text, size_t size, int64_t* answer) noexcept nogil
