"""Column buffers that the cores fill row by row and the store takes away.

A core declares a row of each of its tables as a C struct, the only place where columns have their names, types and
order. `Table` lays out the columns so that the offset of a struct's member determines the address of its column (see
`column` in the .pxd).
"""

from libc.string cimport memcpy

cimport numpy as cnp

from engine.kernel.memory cimport grown

import numpy as np

cnp.import_array()

cdef enum:
    # Columns that are complete pages apart would all use the same few lines of the processor's cache.
    LARGE = 1024        # rows
    STAGGER = 3 * 64    # bytes between columns of one byte; wider ones get it times their width


def described(row):
    """Return the members of a structured type in order, with their types, as text for messages."""
    return ", ".join([f"{name} {row[name]}" for name in row.names])


cdef class Table:
    """Columns of equal length in memory, `rows` of `capacity` in use.

    Legs of one batch fill the same table one after the other. The columns are one piece of memory of the structured
    type `layout`, so a copy of it holds all rows. The type of one row is in `row`.

    Args:
        fields: Maps a column's name to its numpy type name. A bool is one byte, 0 or 1.
        capacity: Maximum number of rows.
    """

    def __init__(self, dict fields, int64_t capacity):
        self.row = np.dtype(list(fields.items()), align=True)
        self.columns.pitch = capacity if capacity < LARGE else (capacity + 63) // 64 * 64 + STAGGER
        self.size = self.row.itemsize * self.columns.pitch
        self.capacity = capacity
        self.rows = 0
        kinds, offsets = zip(*[self.row.fields[name] for name in fields])
        self.layout = np.dtype(
            {"names": list(fields), "formats": [(kind, (capacity,)) for kind in kinds],
             "offsets": [offset * self.columns.pitch for offset in offsets], "itemsize": self.size}
        )
        self.take_memory()

    cdef int take_memory(self) except -1:
        """Allocate the columns, filled with zeros."""
        self.whole = np.zeros(1, dtype=self.layout)
        self.columns.content = <char*>cnp.PyArray_DATA(self.whole)
        return 0

    def another(self):
        """Return an empty table like this one. Each leg in lanes has one, and making a layout can outlast the leg."""
        cdef Table made = Table.__new__(Table)
        made.row = self.row
        made.columns.pitch = self.columns.pitch
        made.size = self.size
        made.capacity = self.capacity
        made.layout = self.layout
        made.take_memory()
        return made

    @property
    def arrays(self):
        """The columns by name, each of `capacity` elements."""
        if self.by_name is None:
            self.by_name = {name: self.whole[name][0] for name in self.layout.names}
        return self.by_name

    cdef int expect(self, row) except -1:
        """Check that a core's rows are those of the table.

        Raises:
            TypeError: They have other members.
        """
        if row is self.expected:    # comparing structs takes longer than many games
            return 0
        if self.row != row:
            raise TypeError(f"the core writes {described(row)}, the table has {described(self.row)}")
        self.expected = row
        return 0

    cdef bint move_rows(self, RowBuffer* buffer) noexcept nogil:
        """Append the rows to a buffer as one block and empty the table. Return false if there is no memory."""
        if self.rows == 0:
            return True
        if not grown(<void**>&buffer.content, &buffer.capacity, buffer.size + self.size, 1):
            return False
        memcpy(buffer.content + buffer.size, self.columns.content, self.size)
        buffer.size += self.size
        buffer.rows += self.rows
        self.rows = 0
        return True
