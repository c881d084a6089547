"""Decisions as lines of JSON, and the lines that answer them."""

cimport cython
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport calloc, free
from libc.string cimport memcmp, memcpy

from engine.kernel.limits cimport MOST_VIEW_BYTES

cdef enum:
    MOST_NUMBER = 32        # characters of a number, as it is written here


@cython.final
cdef class QuestionLines:
    """A writer of a contest's decisions as JSON objects: the decision's name, and its fields of the view.

    Args:
        questions: For each decision whether it only informs, its name, and the name, struct code and offset of each
            field.

    Raises:
        ValueError: A decision has more values than a line can have, or a field is outside the view.
    """

    def __init__(self, questions):
        cdef int number
        free(self.lines)
        self.lines = <Line*>calloc(max(1, len(questions)), sizeof(Line))
        if self.lines == NULL:
            raise MemoryError
        self.kept = []
        for number, (only_tells, name, fields) in enumerate(questions):
            self.lines[number].only_tells = only_tells
            if len(fields) > MOST_PIECES:
                raise ValueError(f"{name} tells {len(fields)} values, at most {int(MOST_PIECES)} are possible")
            before = f'{{"decision": "{name}"'
            for key, code, offset in fields:
                if not 0 <= offset < MOST_VIEW_BYTES - 3:
                    raise ValueError(f"{name} tells {key}, which is not there")
                self.add(number, f'{before}, "{key}": ', ord(code), offset)
                before = ""
            self.add(number, before + "}\n", 0, 0)

    def __dealloc__(self):
        free(self.lines)

    cdef add(self, int number, str text, int code, int offset):
        cdef bytes encoded = text.encode()
        cdef Line* line = &self.lines[number]
        self.kept.append(encoded)
        line.pieces[line.count] = Piece(encoded, len(encoded), code, offset)
        line.count += 1
        line.most_bytes += len(encoded) + MOST_NUMBER

    cdef size_t most_bytes(self, int kind) noexcept nogil:
        """Return the maximum bytes of a decision's line."""
        return self.lines[kind].most_bytes

    cdef bint only_tells(self, int kind) noexcept nogil:
        return self.lines[kind].only_tells

    cdef size_t write(self, char* target, const Decision* decision, const unsigned char* view) noexcept nogil:
        """Write the line of a decision. Return its length."""
        cdef const Line* line = &self.lines[decision.kind]
        cdef const Piece* piece
        cdef const void* field
        cdef size_t size = 0
        cdef int i
        for i in range(line.count):
            piece = &line.pieces[i]
            memcpy(target + size, piece.text, piece.length)
            size += piece.length
            field = view + piece.offset
            if piece.code == c"f":
                size += snprintf(target + size, MOST_NUMBER, "%.9g", <double>(<const float*>field)[0])
            elif piece.code == c"d":
                size += snprintf(target + size, MOST_NUMBER, "%.17g", (<const double*>field)[0])
            elif piece.code == c"q":
                size += snprintf(target + size, MOST_NUMBER, "%lld", <long long>(<const int64_t*>field)[0])
            elif piece.code == c"i":
                size += snprintf(target + size, MOST_NUMBER, "%d", (<const int32_t*>field)[0])
        return size


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
