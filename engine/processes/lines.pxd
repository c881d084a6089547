# See lines.pyx for details.

from libc.stdint cimport int64_t

cpdef enum:
    MOST_LINE_BYTES = 255           # of a program's line in a dialogue, its end not counted
    MOST_ACTION_BYTES = 65600      # of a line that answers a line of JSON

cdef size_t find_action(const char* line, size_t* length) noexcept nogil
cdef bint read_whole(const char* text, size_t length, int64_t* value) noexcept nogil
