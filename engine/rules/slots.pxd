# See slots.pyx for details.

from libc.stdint cimport int64_t

from engine.rules.shapes cimport Shape


cdef class Slot:
    cdef readonly int value     # offset of the value, or of a list's first item; -1 if it is omitted
    cdef readonly int count     # offset of a list's length, or of whether a value is there; -1 for none
    cdef int size               # bytes of a number, or from one item of a list to the next
    cdef readonly int lengths   # offset of the lengths of a list's rows, which precede the items; -1 for none
    cdef tuple parts            # slots of a record's fields, relative to its own offset
    cdef Slot item              # slot of each item of a list, or of an optional value

    cdef const int64_t* write(
        self, Shape shape, unsigned char* base, unsigned char* counts, const int64_t* cell
    ) except NULL
    cdef object read(self, Shape shape, const unsigned char* base, const unsigned char* counts)
    cdef list read_items(self, Shape shape, const unsigned char* source, const unsigned char* counts, int64_t count)
