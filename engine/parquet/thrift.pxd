# See thrift.pyx for details.

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    DEEPEST = 8     # structs inside one another

cdef class ThriftWriter:
    cdef unsigned char* content
    cdef size_t size
    cdef size_t capacity
    cdef int last_field[DEEPEST]    # of the open structs, the outermost first
    cdef int depth

    cdef int room(self, size_t more) except -1
    cdef int byte(self, int value) except -1
    cdef int varint(self, uint64_t value) except -1
    cdef int header(self, int field, int kind) except -1
    cdef int list_of(self, int field, int kind, int64_t count) except -1
    cpdef int flag(self, int field, bint value) except -1
    cpdef int short_integer(self, int field, int value) except -1
    cpdef int integer(self, int field, int64_t value) except -1
    cpdef int long_integer(self, int field, int64_t value) except -1
    cpdef int text(self, int field, bytes value) except -1
    cpdef int begin(self, int field) except -1
    cpdef int end(self) except -1
    cpdef int integers(self, int field, values) except -1
    cpdef int texts(self, int field, values) except -1
    cpdef int structs(self, int field, int64_t count) except -1
    cpdef int raw(self, bytes value) except -1
    cpdef bytes take(self)
