# See shapes.pyx for details.

from libc.stdint cimport int64_t

from engine.kernel.memory cimport grown

cdef struct Cells:              # the numbers of checked values, in order
    int64_t* content
    size_t count
    size_t room

cdef inline int reserve(Cells* cells, size_t more) except -1:
    """Make room for more numbers."""
    if not grown(<void**>&cells.content, &cells.room, cells.count + more, sizeof(int64_t)):
        raise MemoryError
    return 0

cdef inline int append(Cells* cells, int64_t number) except -1:
    """Add a number."""
    if cells.count == cells.room:
        reserve(cells, 16)
    cells.content[cells.count] = number
    cells.count += 1
    return 0


cdef class Shape:
    # i, q: a whole number of 32 or 64 bits; d: a finite number; c: a choice; b: yes or no; s: a text;
    # L: a list of its only part; M: its only part or nothing; R: a record of its parts
    cdef int code
    cdef int64_t low
    cdef int64_t high           # limit of a text in bytes
    cdef double lowest          # bound of finite numbers
    cdef double highest
    cdef Py_ssize_t most        # items of a list
    cdef readonly tuple names   # names of choices, or of a record's fields
    cdef readonly tuple parts
    cdef dict places            # index of each name
    cdef Shape item             # the first part

    cdef object observed(self, str decision, str name, object value, Cells* cells)
    cdef int64_t whole(self, str decision, str name, object value, bint is_item) except? -1
    cdef object items(self, str decision, str name, object value, Cells* cells)
    cdef object fields(self, str decision, str name, object value, Cells* cells)
    cdef object answered(self, object value)
    cdef bint are_within(self, object values)
