# See records.pyx for details.

from libc.stdint cimport int64_t

cdef class Table:
    cdef readonly dict arrays
    cdef readonly object layout
    cdef readonly int64_t capacity
    cdef char* content      # of the arrays, which own it
    cdef int64_t size       # bytes
    cdef public int64_t rows

    cdef void* column(self, str name, str type_name) except NULL
