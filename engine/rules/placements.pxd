# See placements.pyx for details.

from libc.stdint cimport int64_t

from engine.rules.decisions cimport Decision, Question
from engine.rules.slots cimport Slot


cdef class Placement:
    cdef readonly Decision decision
    cdef int kind                   # number of the decision in the contest
    cdef int answer_offset          # offset of C bots' answers
    cdef Slot answer_slot           # slot relative to that offset
    cdef list slots                 # slots of the values, None for texts

    cdef int show(self, Question question, unsigned char* window, tuple players) except -1
    cdef object answer_of(self, Question question, int64_t answer, const unsigned char* window)
