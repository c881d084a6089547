"""Thrift's compact protocol, as far as Parquet needs it, in writing.

Apache Thrift, "Thrift Compact protocol encoding", doc/specs/thrift-compact-protocol.md. A struct is its fields in
order of their numbers, each after a byte with its type and how far its number is from the last one's, and a zero;
whole numbers are zigzag and in pieces of seven bits, the lowest first.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from engine.kernel.memory cimport grown

cdef enum Kind:
    TRUE = 1
    FALSE = 2
    BYTE = 3
    I32 = 5
    I64 = 6
    BINARY = 8
    LIST = 9
    STRUCT = 12


cdef class ThriftWriter:
    """The text of one struct, which is open from the beginning. `end` closes the innermost, `take` gives the text.

    Field 0 is an element of a list, which has no header. Raises OverflowError for structs too deep in one another,
    MemoryError when there is none.
    """

    def __dealloc__(self):
        free(self.content)

    cdef int room(self, size_t more) except -1:
        if not grown(<void**>&self.content, &self.capacity, self.size + more, 1):
            raise MemoryError
        return 0

    cdef int byte(self, int value) except -1:
        self.room(1)
        self.content[self.size] = <unsigned char>value
        self.size += 1
        return 0

    cdef int varint(self, uint64_t value) except -1:
        while value >= 0x80:
            self.byte(value & 0x7F | 0x80)
            value >>= 7
        return self.byte(<int>value)

    cdef int header(self, int field, int kind) except -1:
        if field == 0:
            return 0
        cdef int step = field - self.last_field[self.depth]
        if not 0 < step < 16:
            raise OverflowError(f"field {field} can't come after {self.last_field[self.depth]}")
        self.last_field[self.depth] = field
        return self.byte(step << 4 | kind)

    cpdef int flag(self, int field, bint value) except -1:
        return self.header(field, TRUE if value else FALSE)

    cpdef int short_integer(self, int field, int value) except -1:
        """One of 8 bits."""
        self.header(field, BYTE)
        return self.byte(value)

    cpdef int integer(self, int field, int64_t value) except -1:
        """One of 32 bits."""
        self.header(field, I32)
        return self.varint(<uint64_t>value << 1 ^ <uint64_t>(value >> 63))

    cpdef int long_integer(self, int field, int64_t value) except -1:
        """One of 64 bits."""
        self.header(field, I64)
        return self.varint(<uint64_t>value << 1 ^ <uint64_t>(value >> 63))

    cpdef int text(self, int field, bytes value) except -1:
        self.header(field, BINARY)
        self.varint(PyBytes_GET_SIZE(value))
        return self.raw(value)

    cpdef int begin(self, int field) except -1:
        """Open a struct."""
        if self.depth + 1 == DEEPEST:
            raise OverflowError("too many structs inside one another")
        self.header(field, STRUCT)
        self.depth += 1
        self.last_field[self.depth] = 0
        return 0

    cpdef int end(self) except -1:
        """Close the innermost struct."""
        if self.depth > 0:
            self.depth -= 1
        return self.byte(0)

    cdef int list_of(self, int field, int kind, int64_t count) except -1:
        self.header(field, LIST)
        if count < 15:
            return self.byte(<int>count << 4 | kind)
        self.byte(0xF0 | kind)
        return self.varint(count)

    cpdef int integers(self, int field, values) except -1:
        """A list of whole numbers of 32 bits."""
        self.list_of(field, I32, len(values))
        for value in values:
            self.integer(0, value)
        return 0

    cpdef int texts(self, int field, values) except -1:
        """A list of texts."""
        self.list_of(field, BINARY, len(values))
        for value in values:
            self.text(0, value)
        return 0

    cpdef int structs(self, int field, int64_t count) except -1:
        """The head of a list of so many structs: each comes next, by `begin(0)` and `end()`, or as it was taken."""
        return self.list_of(field, STRUCT, count)

    cpdef int raw(self, bytes value) except -1:
        """What was encoded before."""
        cdef size_t size = PyBytes_GET_SIZE(value)
        self.room(size)
        memcpy(self.content + self.size, PyBytes_AS_STRING(value), size)
        self.size += size
        return 0

    cpdef bytes take(self):
        """The text, after which the next one begins."""
        cdef bytes content = self.content[:self.size]
        self.size = 0
        self.depth = 0
        self.last_field[0] = 0
        return content
