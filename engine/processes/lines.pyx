"""The lines with which programs answer decisions."""

from libc.stdint cimport INT64_MAX, int64_t, uint64_t
from libc.string cimport memcmp


cdef size_t find_action(const char* line, size_t* length) noexcept nogil:
    """Return the offset of the value in a line `ACTION value`, 0 for another line. Set `length` to its length."""
    cdef size_t end = length[0]
    cdef size_t start = 6
    if end < 7 or memcmp(line, b"ACTION", 6) != 0 or not is_blank(line[6]):
        return 0
    while end > start and is_blank(line[end - 1]):
        end -= 1
    while start < end and is_blank(line[start]):
        start += 1
    length[0] = end - start
    return start


cdef inline bint is_blank(char letter) noexcept nogil:
    """Return whether a character is a blank, a tab or a carriage return."""
    return letter == c" " or letter == c"\t" or letter == c"\r"


cdef bint read_whole(const char* text, size_t length, int64_t* value) noexcept nogil:
    """Return whether a text is an integer in JSON, and set `value` to it.

    A value beyond 64 bits becomes the nearest one that fits.
    """
    cdef size_t start = length > 0 and text[0] == c"-"
    cdef size_t i
    cdef uint64_t number = 0
    cdef uint64_t furthest = <uint64_t>INT64_MAX + start
    if start == length or (text[start] == c"0" and length > start + 1):
        return False
    for i in range(start, length):
        if not c"0" <= text[i] <= c"9":
            return False
        if number > furthest // 10:     # ten times this number could exceed 64 bits
            number = furthest
        else:
            number = min(furthest, number * 10 + <uint64_t>(text[i] - c"0"))
    # In two's complement, also for the lowest number, whose opposite doesn't fit.
    value[0] = <int64_t>(0 - number) if start else <int64_t>number
    return True
