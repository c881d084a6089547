# See lines.pyx for details.

from libc.stdint cimport int64_t

cpdef enum:
    MAX_LINE_BYTES = 255           # bytes of a program's line in a dialogue, without its end
    MAX_ACTION_BYTES = 65600      # bytes of a line that answers a line of JSON

cdef size_t find_action(const char* line, size_t* length) noexcept nogil
cdef bint read_whole(const char* text, size_t length, int64_t* value) noexcept nogil
