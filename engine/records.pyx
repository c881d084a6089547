"""Column buffers that the cores fill row by row and the store takes away."""

cimport numpy as cnp

import numpy as np

cnp.import_array()

cdef enum:
    # Columns a whole number of pages apart would all want the same few lines of the processor's cache.
    PAGE = 4096
    STAGGER = 3 * 64


cdef class Table:
    """Columns of equal length in memory, `rows` of `capacity` in use.

    `fields` maps a column's name to its numpy type name; a bool is one byte, 0
    or 1. Legs of one batch fill the same table one after the other. The columns
    lie in one piece of memory, as the structured type `layout` says: a copy of
    it holds all rows.
    """

    def __init__(self, dict fields, int64_t capacity):
        types = [np.dtype(type_name) for type_name in fields.values()]
        offsets = []
        self.size = 0
        for kind in types:
            offsets.append(self.size)
            self.size += (capacity * kind.itemsize + 7) // 8 * 8
            if capacity * kind.itemsize >= PAGE:
                self.size += STAGGER
        self.capacity = capacity
        self.rows = 0
        self.layout = np.dtype(
            {"names": list(fields), "formats": [(kind, (capacity,)) for kind in types],
             "offsets": offsets, "itemsize": self.size}
        )
        whole = np.zeros(1, dtype=self.layout)
        self.arrays = {name: whole[name][0] for name in fields}
        self.content = <char*>cnp.PyArray_DATA(whole)

    cdef void* column(self, str name, str type_name) except NULL:
        """The address of a column's first value.

        Raises KeyError for a missing column, TypeError for one of another type.
        """
        cdef cnp.ndarray array = self.arrays[name]
        if array.dtype != np.dtype(type_name):
            raise TypeError(f"column {name} is {array.dtype}, the core writes {type_name}")
        return cnp.PyArray_DATA(array)

    def as_bytes(self):
        """All columns, also what is beyond `rows`, as they lie in memory."""
        return self.content[:self.size]
