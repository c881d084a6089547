"""Reading Thrift's compact protocol, as Parquet has it: a footer, or a page's header, as plain Python values.

Apache Thrift, "Thrift Compact protocol encoding", doc/specs/thrift-compact-protocol.md. What is read may be a
stranger's: nothing outside of the content is looked at, and what would take too much memory is refused.
"""

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    TRUE = 1
    FALSE = 2
    BYTE = 3
    I16 = 4
    I32 = 5
    I64 = 6
    DOUBLE = 7
    BINARY = 8
    LIST = 9
    SET = 10
    STRUCT = 12
    MOST_DEPTH = 20
    STRUCT_WEIGHT = 8   # what a struct takes, in what a list's element takes


def read_struct(bytes content not None, int64_t most):
    """A struct at the beginning of the content, its fields by their numbers; and how many bytes it has.

    Whole numbers and flags are int, lists are list, doubles are left out. Raises ValueError for what is no struct, or
    for more than `most` structs and elements of lists, where a struct counts eight times.
    """
    cdef Reader reader = Reader(content, most)
    return reader.fields(0), reader.place


cdef class Reader:
    cdef bytes kept
    cdef const unsigned char* content
    cdef int64_t place, end, left

    def __init__(self, bytes content, int64_t most):
        self.kept, self.content, self.place, self.end, self.left = content, content, 0, len(content), most

    cdef unsigned char byte(self) except? 0:
        if self.place >= self.end:
            raise ValueError("it ends before its end")
        self.place += 1
        return self.content[self.place - 1]

    cdef uint64_t number(self) except? 0:
        cdef uint64_t value = 0
        cdef int shift
        cdef unsigned char piece
        for shift in range(0, 64, 7):
            piece = self.byte()
            value |= <uint64_t>(piece & 0x7F) << shift
            if piece < 0x80:
                return value
        raise ValueError("a number without end")

    cdef int64_t signed(self) except? 0:
        cdef uint64_t value = self.number()
        return <int64_t>(value >> 1) ^ -<int64_t>(value & 1)

    cdef int count(self, int64_t weight) except -1:
        self.left -= weight
        if self.left < 0:
            raise ValueError("it has more values than anybody writes")
        return 0

    cdef dict fields(self, int depth):
        cdef dict found = {}
        cdef unsigned char head
        cdef int64_t field = 0
        if depth > MOST_DEPTH:
            raise ValueError("structs too deep in each other")
        self.count(STRUCT_WEIGHT)
        while True:
            head = self.byte()
            if head == 0:
                return found
            field = field + (head >> 4) if head >> 4 else self.signed()
            if not 0 < field < 1 << 15:
                raise ValueError("a field without a number")
            if head & 15 in (TRUE, FALSE):  # a flag, which its type tells
                found[field] = int(head & 15 == TRUE)
            else:
                found[field] = self.value(head & 15, depth)

    cdef object value(self, int kind, int depth):
        cdef uint64_t length
        if kind in (I16, I32, I64):
            return self.signed()
        if kind == STRUCT:
            return self.fields(depth + 1)
        if kind in (LIST, SET):
            return self.elements(depth + 1)
        if kind in (TRUE, FALSE, BYTE):  # a flag here is an element of a list
            return self.byte()
        length = self.number() if kind == BINARY else 8
        if kind not in (BINARY, DOUBLE) or length > <uint64_t>(self.end - self.place):
            raise ValueError("a value of no type, or one that ends after the end")
        self.place += length
        return self.kept[self.place - length:self.place] if kind == BINARY else None

    cdef list elements(self, int depth):
        cdef unsigned char head = self.byte()
        cdef uint64_t length = head >> 4
        cdef list found = []
        cdef uint64_t _element
        if depth > MOST_DEPTH:
            raise ValueError("lists too deep in each other")
        if length == 15:
            length = self.number()
        for _element in range(length):
            self.count(1)
            found.append(self.value(head & 15, depth))
        return found
