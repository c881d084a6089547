# See records.pyx for details.

cimport numpy as cnp
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t

cdef struct Columns:    # a row's member at offset o has its column at o · pitch
    char* content
    int64_t pitch

cdef struct RowBuffer:  # blocks of a table's rows, one after the other
    unsigned char* content
    size_t size
    size_t capacity
    int64_t rows

ctypedef fused Value:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    int64_t
    float
    double

cdef inline Value* column(Columns columns, Value* member) noexcept nogil:
    """Return the column of a member, given as that of a row at the columns' beginning."""
    return <Value*>(columns.content + (<char*>member - columns.content) * columns.pitch)


cdef class Table:
    cdef dict by_name
    cdef cnp.ndarray whole  # the memory
    cdef readonly object row
    cdef object expected    # the row that a core last said it writes
    cdef readonly object layout
    cdef readonly int64_t capacity
    cdef public int64_t rows
    cdef Columns columns    # columns of the arrays, which own them
    cdef int64_t size       # bytes

    cdef int take_memory(self) except -1
    cdef int expect(self, row) except -1
    cdef bint move_rows(self, RowBuffer* buffer) noexcept nogil
