"""Places of values in a C bot's memory, to write values and read answers."""

cimport cython
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memchr, memcpy


@cython.final
cdef class Slot:
    """A slot for a value of some shape, in a struct as C compilers lay it out.

    Args:
        value: Offset of the value, or of a list's first item; -1 if C bots don't get it.
        size: Bytes of a number, or from one item of a list to the next.
        count: Offset of a list's length, or of whether a value is there; -1 for other values.
        lengths: Offset of the lengths of a list's rows; -1 for other values.
        item: Slot of each item, or of the value that might be missing.
        parts: Slots of a record's fields.
    """

    def __init__(self, int value, *, int size=0, int count=-1, int lengths=-1, Slot item=None, parts=()):
        self.value, self.size, self.count, self.lengths = value, size, count, lengths
        self.item, self.parts = item, tuple(parts)

    cdef const int64_t* write(
        self, Shape shape, unsigned char* base, unsigned char* counts, const int64_t* cell
    ) except NULL:
        """Write a value from its cells, and return the first cell after them.

        Args:
            shape: Shape of the value.
            base: Where offsets of values start.
            counts: Where offsets of lengths start, which are elsewhere for rows.
            cell: The value's first cell.
        """
        cdef unsigned char* target = base + self.value
        cdef unsigned char* rest
        cdef int64_t i, count
        cdef int number
        if shape.code == c"L":
            count = cell[0]
            if self.count >= 0:
                (<int32_t*>(counts + self.count))[0] = <int32_t>count
            cell += 1
            if self.value < 0 or shape.item.code == c"s":
                return cell
            if self.item is None:
                if self.size == sizeof(int64_t):
                    memcpy(target, cell, count * sizeof(int64_t))
                elif shape.item.code == c"d":
                    for i in range(count):
                        (<float*>target)[i] = <float>(<const double*>cell)[i]
                else:
                    for i in range(count):
                        (<int32_t*>target)[i] = <int32_t>cell[i]
                return cell + count
            for i in range(count):
                base = target + i * self.size
                rest = counts + self.lengths + sizeof(int32_t) * i if self.lengths >= 0 else base
                cell = self.item.write(shape.item, base, rest, cell)
            return cell
        if shape.code == c"M":
            (<int32_t*>(base + self.count))[0] = <int32_t>cell[0]
            return self.item.write(shape.item, base, counts, cell + 1) if cell[0] else cell + 1
        if shape.code == c"R":
            for number in range(len(self.parts)):
                cell = (<Slot>self.parts[number]).write(<Shape>shape.parts[number], target, target, cell)
            return cell
        if shape.code == c"s":
            return cell
        if self.size == sizeof(int64_t):
            (<int64_t*>target)[0] = cell[0]
        elif shape.code == c"d":
            (<float*>target)[0] = <float>(<const double*>cell)[0]
        else:
            (<int32_t*>target)[0] = <int32_t>cell[0]
        return cell + 1

    cdef object read(self, Shape shape, const unsigned char* base, const unsigned char* counts):
        """Return a bot's answer, of which only lengths and texts are checked.

        Args:
            shape: Shape of the answer.
            base: Where offsets of values start.
            counts: Where offsets of lengths start, which are elsewhere for rows.

        Raises:
            ValueError: A list's length is out of range, or a text has no 0 byte or isn't UTF-8.
        """
        cdef const unsigned char* source = base + self.value
        cdef const unsigned char* end
        cdef double real
        cdef int64_t count
        if shape.code == c"s":
            end = <const unsigned char*>memchr(source, 0, shape.high + 1)
            if end == NULL:
                raise ValueError("a text without a 0 byte")
            try:
                return source[:end - source].decode()
            except UnicodeDecodeError:
                raise ValueError("a text that isn't UTF-8") from None
        if shape.code == c"L":
            count = (<const int32_t*>(counts + self.count))[0]
            if not 0 <= count <= shape.most:
                raise ValueError(f"a length of {count}")
            return self.read_items(shape, source, counts, count)
        if shape.code == c"M":
            if not (<const int32_t*>(base + self.count))[0]:
                return None
            return self.item.read(shape.item, base, counts)
        if shape.code == c"R":
            return {
                name: (<Slot>slot).read(<Shape>part, source, source)
                for name, slot, part in zip(shape.names, self.parts, shape.parts)
            }
        if shape.code == c"d" and self.size == sizeof(float):
            return <double>(<const float*>source)[0]
        if shape.code == c"d":
            memcpy(&real, source, sizeof(real))
            return real
        return (<const int64_t*>source)[0] if self.size == sizeof(int64_t) else (<const int32_t*>source)[0]

    cdef list read_items(self, Shape shape, const unsigned char* source, const unsigned char* counts, int64_t count):
        """Return the items of a list that starts at `source`.

        Raises:
            ValueError: A nested list's length is out of range, or a text has no 0 byte or isn't UTF-8.
        """
        cdef Slot item = self.item
        cdef const unsigned char* here
        cdef const unsigned char* rest
        cdef int64_t i
        cdef list items = []
        if item is None and shape.item.code == c"d" and self.size == sizeof(float):
            return [<double>(<const float*>source)[i] for i in range(count)]
        if item is None and shape.item.code == c"d":
            return [(<const double*>source)[i] for i in range(count)]
        if item is None and self.size == sizeof(int64_t):
            return [(<const int64_t*>source)[i] for i in range(count)]
        if item is None:
            return [(<const int32_t*>source)[i] for i in range(count)]
        for i in range(count):
            here = source + i * self.size
            rest = counts + self.lengths + sizeof(int32_t) * i if self.lengths >= 0 else here
            items.append(item.read(shape.item, here, rest))
        return items
