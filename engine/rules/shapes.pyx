"""Types of values in questions and answers: checks of both, and values for messages."""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport isfinite
from libc.stdint cimport int64_t
from libc.string cimport memcpy

from collections.abc import Mapping

CODES = "iqdcbsLMR"


@cython.final
cdef class Shape:
    """A shape of values, with their limits.

    Args:
        code: One of CODES; shapes.pxd has their meanings.
        low: Lowest number.
        high: Highest number, or most bytes of a text.
        most: Most items of a list, -1 for other shapes.
        names: Names of choices, or of a record's fields.
        parts: Shape of a list's items, of what might be missing, or of each field.

    Raises:
        ValueError: No value has such a shape.
    """

    def __init__(self, str code, low=0, high=0, Py_ssize_t most=-1, names=(), parts=()):
        if len(code) != 1 or code not in CODES or low > high or (code == "L") != (most >= 0):
            raise ValueError(f"no value has the shape {code!r} from {low} to {high}")
        self.code = ord(code)
        if code == "d":
            self.lowest, self.highest = low, high
        else:
            self.low, self.high = low, high
        self.most = most
        self.names, self.parts = tuple(names), tuple(parts)
        self.places = {name: place for place, name in enumerate(self.names)}
        self.item = self.parts[0] if self.parts else None

    @property
    def kind(self):
        """Code of the type."""
        return chr(self.code)

    def _key(self):
        """Return all that makes a shape equal to another."""
        limits = self.low, self.high, self.lowest, self.highest, self.most
        return self.code, limits, self.names, tuple([part._key() for part in self.parts])

    def __eq__(self, other):
        return isinstance(other, Shape) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    def holds(self, Shape other not None):
        """Return whether each value of the other shape is one of this one, too."""
        if self.code == c"M" and other.code != c"M":
            return self.item.holds(other)
        if self.code == c"c":
            return other.code == c"c" and set(other.names) <= set(self.names)
        if self.code == c"i" or self.code == c"q":
            return other.kind in ("i", "q") and self.low <= other.low and other.high <= self.high
        if self.code == c"d":
            return other.code == c"d" and self.lowest <= other.lowest and other.highest <= self.highest
        return (
            self.code == other.code
            and other.high <= self.high
            and other.most <= self.most
            and self.names == other.names
            and all([one.holds(narrower) for one, narrower in zip(self.parts, other.parts)])
        )

    cdef object observed(self, str decision, str name, object value, Cells* cells):
        """Return a value that rules show, with each sequence read once, and add its numbers to the cells.

        Args:
            decision: Name of the decision, for errors.
            name: Name of the value, for errors.
            value: The value.
            cells: Receives the numbers. A list is its length and its items, a float its bits, an optional value has a
                flag before it, and texts have none.

        Raises:
            ValueError: The value has another shape.
        """
        cdef double number
        cdef int64_t bits
        if self.code == c"i" or self.code == c"q":
            append(cells, self.whole(decision, name, value, False))
        elif self.code == c"L":
            return self.items(decision, name, value, cells)
        elif self.code == c"c":
            if value not in self.places:
                raise ValueError(f"{decision} shows {name} = {value!r}, which is none of {', '.join(self.names)}")
            append(cells, self.places[value])
        elif self.code == c"d":
            number = fraction(decision, name, value)
            if not self.lowest <= number <= self.highest:
                raise ValueError(f"{decision}: {name} is {value!r}, {self.lowest} to {self.highest} were declared")
            memcpy(&bits, &number, sizeof(number))
            append(cells, bits)
        elif self.code == c"b":
            if value is not True and value is not False and (isinstance(value, str) or value not in (0, 1)):
                raise ValueError(f"{decision} shows {name} = {value!r}, which is neither true nor false")
            append(cells, 1 if value else 0)
        elif self.code == c"s":
            if type(value) is not str:
                raise ValueError(f"{decision} shows {name} = {value!r}, which is no text")
        elif self.code == c"M":
            append(cells, value is not None)
            return None if value is None else self.item.observed(decision, name, value, cells)
        else:
            return self.fields(decision, name, value, cells)
        return value

    cdef int64_t whole(self, str decision, str name, object value, bint is_item) except? -1:
        """Return an integer, or an item of a list.

        Raises:
            ValueError: It is no integer of 64 bits, or isn't within the limits.
        """
        cdef int overflow = 0
        cdef int64_t number
        if PyLong_CheckExact(value):
            number = PyLong_AsLongLongAndOverflow(value, &overflow)
            if not overflow and self.low <= number <= self.high:
                return number
        try:
            number = value
        except (TypeError, OverflowError):
            raise ValueError(f"{decision} shows {name} = {value!r}, which is no whole number of 64 bits") from None
        if isinstance(value, float) or not self.low <= number <= self.high:
            has = "has" if is_item else "is"
            raise ValueError(f"{decision}: {name} {has} {value!r}, {self.low} to {self.high} were declared")
        return number

    cdef object items(self, str decision, str name, object value, Cells* cells):
        """Return a list that rules show as a tuple, and add its length and its items to the cells.

        Raises:
            ValueError: It is no list, has too many items, or an item has another shape.
        """
        cdef tuple taken
        cdef Shape item = self.item
        cdef bint are_whole = item.code == c"i" or item.code == c"q"
        cdef int64_t number, low = item.low, high = item.high
        cdef int overflow = 0
        cdef int64_t* target
        try:
            taken = tuple(value)
        except TypeError:
            raise ValueError(f"{decision} shows {name} = {value!r}, which is no list") from None
        if isinstance(value, str) or len(taken) > self.most:
            raise ValueError(f"{decision}: {name} has {len(taken)} items, at most {self.most} were declared")
        append(cells, len(taken))
        reserve(cells, len(taken))
        if are_whole:
            target = cells.content + cells.count
            for one in taken:
                if PyLong_CheckExact(one):
                    number = PyLong_AsLongLongAndOverflow(one, &overflow)
                    if not overflow and low <= number <= high:
                        target[0] = number
                        target += 1
                        continue
                target[0] = item.whole(decision, name, one, True)
                target += 1
            cells.count += len(taken)
            return taken
        if item.code in b"LMR":
            return tuple([item.observed(decision, name, one, cells) for one in taken])
        for one in taken:
            item.observed(decision, name, one, cells)
        return taken

    cdef object fields(self, str decision, str name, object value, Cells* cells):
        """Return a record that rules show as a dict in the order of its fields, and add its numbers to the cells.

        Raises:
            ValueError: It is no mapping with these fields, or a field has another shape.
        """
        cdef Shape part
        if not isinstance(value, Mapping) or value.keys() != self.places.keys():
            raise ValueError(f"{decision} shows {name} = {value!r}; declared is {', '.join(self.names)}")
        return {
            field: part.observed(decision, f"{name}.{field}", value[field], cells)
            for field, part in zip(self.names, self.parts)
        }

    def takes(self, value):
        """Return whether an answer has this shape."""
        try:
            self.answered(value)
        except ValueError:
            return False
        return True

    def plain(self, value):
        """Return a checked value as plain numbers, texts, lists and dicts."""
        if self.code == c"i" or self.code == c"q":
            return int(value)
        if self.code == c"d":
            return float(value)
        if self.code == c"b":
            return bool(value)
        if self.code == c"c":
            return self.names[self.places[value]]
        if self.code == c"L":
            return [self.item.plain(one) for one in value]
        if self.code == c"R":
            return {field: part.plain(value[field]) for field, part in zip(self.names, self.parts)}
        return self.item.plain(value) if self.code == c"M" and value is not None else value

    cdef object answered(self, object value):
        """Return an answer as rules receive it.

        Raises:
            ValueError: The answer has another shape. The message describes it.
        """
        cdef double real
        cdef Shape part
        cdef int64_t number
        cdef int overflow = 0
        if (self.code == c"i" or self.code == c"q") and PyLong_CheckExact(value):
            number = PyLong_AsLongLongAndOverflow(value, &overflow)
            if not overflow and self.low <= number <= self.high:
                return value
        if self.code == c"s":
            return answered_text(value, self.high)
        if self.code == c"M":
            return None if value is None else self.item.answered(value)
        if self.code == c"L":
            if not isinstance(value, (list, tuple)):
                raise ValueError("no list")
            if len(value) > self.most:
                raise ValueError(f"{len(value)} items")
            part = self.item
            if (part.code == c"i" or part.code == c"q") and part.are_within(value):
                return list(value)
            return [part.answered(one) for one in value]
        if self.code == c"R":
            if not isinstance(value, dict) or value.keys() != self.places.keys():
                raise ValueError(f"no object with {', '.join(self.names)}")
            return {field: part.answered(value[field]) for field, part in zip(self.names, self.parts)}
        if self.code == c"b":
            if isinstance(value, bool) or (isinstance(value, int) and 0 <= value <= 1):
                return bool(value)
            raise ValueError("neither true nor false")
        if isinstance(value, bool):
            raise ValueError("no number")
        if self.code == c"c":
            if isinstance(value, int) and 0 <= value < len(self.names):
                return self.names[value]
            if isinstance(value, str) and value in self.places:
                return value
            raise ValueError("none of the choices")
        if self.code == c"d":
            if not isinstance(value, (int, float)):
                raise ValueError("no number")
            try:
                real = value
            except OverflowError:
                raise ValueError("no finite number") from None
            if not isfinite(real):
                raise ValueError("no finite number")
            if not self.lowest <= real <= self.highest:
                raise ValueError(f"{value} is not from {self.lowest} to {self.highest}")
            return real
        if not isinstance(value, int):
            raise ValueError("no whole number")
        if not self.low <= value <= self.high:
            raise ValueError(f"{value} is not from {self.low} to {self.high}")
        return int(value)

    cdef bint are_within(self, object values):
        """Return whether all values are plain whole numbers within the limits."""
        cdef int64_t number, low = self.low, high = self.high
        cdef int overflow = 0
        for one in values:
            if not PyLong_CheckExact(one):
                return False
            number = PyLong_AsLongLongAndOverflow(one, &overflow)
            if overflow or not low <= number <= high:
                return False
        return True


cdef double fraction(str decision, str name, object value) except? -1:
    """Return a number as a float.

    Raises:
        ValueError: It is no finite number. JSON has no others.
    """
    cdef double number
    try:
        number = value
    except (TypeError, OverflowError):
        raise ValueError(f"{decision} shows {name} = {value!r}, which is no number") from None
    if not isfinite(number):
        raise ValueError(f"{decision} shows {name} = {value!r}, which is no finite number")
    return number


cdef str answered_text(object value, int64_t most):
    """Return a text of at most this many bytes of UTF-8.

    Raises:
        ValueError: The answer is no text, isn't UTF-8, is longer, or has a 0 byte.
    """
    cdef bytes encoded
    if not isinstance(value, str):
        raise ValueError("no text")
    try:
        encoded = (<str>value).encode()
    except UnicodeEncodeError:
        raise ValueError("a text that isn't UTF-8") from None
    if len(encoded) > most:
        raise ValueError(f"a text of {len(encoded)} bytes")
    if 0 in encoded:
        raise ValueError("a text with a 0 byte")
    return value
