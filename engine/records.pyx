"""Column buffers that the cores fill row by row and the store takes away."""

cimport numpy as cnp

import numpy as np

cnp.import_array()


cdef class Table:
    """Columns of equal length in memory, `rows` of `capacity` in use.

    `fields` maps a column's name to its numpy type name; a bool is one byte, 0
    or 1. Legs of one batch fill the same table one after the other.
    """

    def __init__(self, dict fields, int64_t capacity):
        self.capacity = capacity
        self.rows = 0
        self.arrays = {name: np.zeros(capacity, dtype=type_name) for name, type_name in fields.items()}

    cdef void* column(self, str name, str type_name) except NULL:
        """The address of a column's first value.

        Raises KeyError for a missing column, TypeError for one of another type.
        """
        cdef cnp.ndarray array = self.arrays[name]
        if array.dtype != np.dtype(type_name):
            raise TypeError(f"column {name} is {array.dtype}, the core writes {type_name}")
        return cnp.PyArray_DATA(array)
