# See records.pyx for details.

from libc.stdint cimport int64_t

cdef class Table:
    cdef readonly dict arrays
    cdef readonly int64_t capacity
    cdef public int64_t rows

    cdef void* column(self, str name, str type_name) except NULL
