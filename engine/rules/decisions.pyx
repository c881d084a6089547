"""The questions of rules written in Python: values by name, and which answers are legal.

C bots find the values in their struct, Python bots as attributes, programs in a
line of JSON. All are checked against what the contest declares, so that a
contest fails alike with bots of every kind.
"""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport isfinite
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy

import json
from sys import byteorder

# A value of this name lists the legal answers; others are faults.
LEGAL_ACTIONS = "legal_actions"
# In bytes, by code; a list's count has 32 bits.
SIZES = {"i": 4, "q": 8, "d": 8}


cdef class Decision:
    """A decision that is asked of a bot's function or method of that name.

    `tells`: (name, code, low, high, most) of each value. Its code is i or q (a whole number of 32 or 64
    bits from `low` to `high`), d (a fraction) or s (a text); `most`: a list's greatest length, -1 for a single value.
    An answer is one of the LEGAL_ACTIONS if such a value is told, else from `low` to `high`; `default`
    counts for a bot that is at fault. Raises ValueError for an impossible declaration.
    """

    def __init__(self, str name, tells, *, int64_t low=INT64_MIN, int64_t high=INT64_MAX, int64_t default=0):
        cdef int i
        self.name = name
        self.tells = tuple(tells)
        self.low = low
        self.high = high
        self.default = default
        self.kind = -1
        self.legal = -1
        self.names = [told[0] for told in self.tells]
        free(self.places)
        self.places = <Place*>calloc(max(1, len(self.tells)), sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        for i, (value, code, least, greatest, most) in enumerate(self.tells):
            if code not in ("i", "q", "d", "s") or most < -1 or least > greatest:
                raise ValueError(f"{name} can't tell {value} so")
            self.places[i] = Place(ord(code), least, greatest, most, -1, -1)
            if value == LEGAL_ACTIONS:
                if most < 1 or code not in ("i", "q"):
                    raise ValueError(f"{name}: {LEGAL_ACTIONS} is a list of whole numbers")
                self.legal = i
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"{name} tells something twice")
        if self.legal < 0 and not low <= default <= high:
            raise ValueError(f"{name}: the default answer {default} is not from {low} to {high}")

    def __dealloc__(self):
        free(self.places)

    def place(self, int kind, offsets):
        """Make it the contest's question of this number.

        `offsets`: by a value's name, where it lies in the bot's struct; for a list (that of its count, that of its
        first item). Raises ValueError when it is another contest's already.
        """
        cdef int i
        if self.kind >= 0 and self.kind != kind:
            raise ValueError(f"the decision {self.name} belongs to another contest already")
        self.kind = kind
        for i, (name, code, _, _, most) in enumerate(self.tells):
            if code != "s" and most < 0:
                self.places[i].offset = offsets[name]
            elif code != "s":
                self.places[i].count_offset, self.places[i].offset = offsets[name]

    def __call__(self, int seat, /, *, default=None, **values):
        """The question to seat x (0) or y (1), with these values; `default` instead of the declared one.

        A text, or a list of texts, may be a function that makes it: only some bots are told texts.
        """
        cdef Asked asked = Asked.__new__(Asked)
        asked.decision = self
        asked.seat = seat
        asked.values = values
        asked.check(default)    # here, where the traceback names the rules' own line
        return asked


cdef inline int64_t whole(Decision decision, Place* place, str name, object value) except? -1:
    """A whole number within its limits."""
    cdef int overflow = 0
    cdef int64_t number
    if PyLong_CheckExact(value):
        number = PyLong_AsLongLongAndOverflow(value, &overflow)
        if not overflow and place.low <= number <= place.high:
            return number
    return odd_whole(decision, place, name, value)


cdef int64_t odd_whole(Decision decision, Place* place, str name, object value) except? -1:
    """`whole` for a value that is no plain int, or not within the limits."""
    cdef int64_t number
    try:
        number = value
    except (TypeError, OverflowError):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no whole number of 64 bits") from None
    if isinstance(value, float) or not place.low <= number <= place.high:
        has = f"{name} is" if place.most < 0 else f"{name} has"
        raise ValueError(f"{decision.name}: {has} {value!r}, {place.low} to {place.high} were declared")
    return number


cdef double fraction(Decision decision, str name, object value) except? -1:
    """A finite number: JSON has no others."""
    cdef double number
    try:
        number = value
    except (TypeError, OverflowError):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no number") from None
    if not isfinite(number):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no finite number")
    return number


cdef inline int64_t cell(Decision decision, Place* place, str name, object value) except? -1:
    """A value as a cell."""
    cdef double number
    cdef int64_t bits
    if place.code == c"d":
        number = fraction(decision, name, value)
        memcpy(&bits, &number, sizeof(number))
        return bits
    return whole(decision, place, name, value)


cdef str written(Decision decision, str name, object value):
    """A text."""
    if type(value) is not str:
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no text")
    return value


@cython.final
cdef class Asked:
    """A question as put to a seat, checked. It may be asked again."""

    def __dealloc__(self):
        free(self.cells)

    cdef int check(self, given_default) except -1:
        """Check its values against the decision's declaration. Raises ValueError."""
        cdef Decision decision = self.decision
        cdef Place* place
        cdef list names = decision.names
        cdef int64_t* end
        cdef Py_ssize_t count, room
        cdef bint is_told = True
        cdef int i
        if not 0 <= self.seat <= 1:
            raise ValueError(f"{decision.name} asks seat {self.seat}; there are 0 and 1")
        if decision.kind < 0:
            raise ValueError(f"{decision.name} is none of the contest's decisions")
        for i in range(len(names)):
            is_told = is_told and names[i] in self.values
        if not is_told or len(self.values) != len(names):
            raise ValueError(f"{decision.name} tells {', '.join(self.values)}; declared is {', '.join(names)}")
        room = 1
        for i in range(len(names)):
            if decision.places[i].most >= 0 and decision.places[i].code != c"s":
                value = self.values[names[i]]
                count = len(value)
                if count > decision.places[i].most:
                    raise ValueError(
                        f"{decision.name}: {names[i]} has {count} numbers,"
                        f" at most {decision.places[i].most} were declared"
                    )
                # Taken once: a sequence of the author's own might have another length each time.
                self.values[names[i]] = value = tuple(value)
                if len(<tuple>value) != count:
                    raise ValueError(f"{decision.name} tells more or fewer {names[i]} than they are long")
                room += count
            room += 1
        self.cells = end = <int64_t*>malloc(room * sizeof(int64_t))
        if end == NULL:
            raise MemoryError
        for i in range(len(names)):
            name = <str>names[i]
            place = &decision.places[i]
            value = self.values[name]
            if place.code == c"s":
                if not callable(value):
                    for text in (value,) if place.most < 0 else value:
                        written(decision, name, text)
            elif place.most < 0:
                end[0] = cell(decision, place, name, value)
                end += 1
            else:
                if i == decision.legal:
                    self.legal_cells = end
                end[0] = len(<tuple>value)
                end += 1
                for item in <tuple>value:
                    end[0] = cell(decision, place, name, item)
                    end += 1
        return self.choose_default(given_default)

    cdef int choose_default(self, given) except -1:
        """Work out the answer that counts for a bot at fault."""
        cdef Decision decision = self.decision
        if decision.legal >= 0 and self.legal_cells[0] == 0:
            raise ValueError(f"{decision.name} is asked without a legal action")
        if given is not None:
            self.default = given
        elif decision.legal >= 0:
            self.default = self.legal_cells[1]
        else:
            self.default = decision.default
        if not self.takes(self.default):
            raise ValueError(f"{decision.name}: the default answer {self.default} is not legal")
        return 0

    cdef bint takes(self, int64_t answer) noexcept:
        """Whether an answer is legal."""
        cdef Decision decision = self.decision
        cdef int64_t i
        if decision.legal < 0:
            return decision.low <= answer <= decision.high
        for i in range(1, self.legal_cells[0] + 1):
            if self.legal_cells[i] == answer:
                return True
        return False

    cdef void show(self, unsigned char* window) noexcept:
        """Write its values into a C bot's struct."""
        cdef const int64_t* next_cell = self.cells
        cdef Place* place
        cdef unsigned char* target
        cdef int64_t i, count
        cdef int number
        for number in range(len(self.decision.names)):
            place = &self.decision.places[number]
            if place.code == c"s":
                continue
            count = 1
            if place.most >= 0:
                count = next_cell[0]
                (<int32_t*>(window + place.count_offset))[0] = <int32_t>count
                next_cell += 1
            target = window + place.offset
            if place.code == c"i":
                for i in range(count):
                    (<int32_t*>target)[i] = <int32_t>next_cell[i]
            else:
                memcpy(target, next_cell, count * sizeof(int64_t))
            next_cell += count

    cdef bytes told(self, bint as_line):
        """Its values: for a program as a line of JSON, for a Python bot's process as messages have them."""
        if as_line:
            if self.line is None:
                self.line = json.dumps({"decision": self.decision.name, **self.plain()}).encode() + b"\n"
            return self.line
        if self.packed is None:
            self.packed = self.as_message()
        return self.packed

    cdef bytes as_message(self):
        """Its values as `engine.processes.messages` says."""
        cdef Decision decision = self.decision
        cdef const int64_t* cell = self.cells
        cdef size_t end = sizeof(uint32_t) * (len(decision.names) + 1)
        cdef bytes bounds = PyBytes_FromStringAndSize(NULL, end)
        cdef list parts = [bounds]
        cdef bytes part
        cdef Place* place
        cdef int64_t count
        cdef int i
        for i in range(len(decision.names)):
            place = &decision.places[i]
            (<uint32_t*>PyBytes_AS_STRING(bounds))[i] = <uint32_t>end
            if place.code == c"s":
                part = self.texts(i)
            else:
                count = 1
                if place.most >= 0:
                    count = cell[0]
                    cell += 1
                part = PyBytes_FromStringAndSize(<const char*>cell, count * sizeof(int64_t))
                cell += count
                if place.code == c"d":
                    parts.append(b"d" if place.most < 0 else b"D")
                else:
                    parts.append(b"i" if place.most < 0 else b"I")
                end += 1
            parts.append(part)
            end += len(part)
        (<uint32_t*>PyBytes_AS_STRING(bounds))[len(decision.names)] = <uint32_t>end
        return b"".join(parts)

    cdef bytes texts(self, int number):
        """A text, or a list of texts, as a value of a message."""
        value = self.text(number)
        if isinstance(value, str):
            return b"s" + (<str>value).encode("utf-8", "surrogatepass")
        parts = [b"S"]
        for text in value:
            encoded = (<str>text).encode("utf-8", "surrogatepass")
            parts += (len(encoded).to_bytes(4, byteorder), encoded)
        return b"".join(parts)

    def text(self, int number):
        """A value that is a text, or a list of texts, made if it must be."""
        cdef Decision decision = self.decision
        name = decision.names[number]
        value = self.values[name]
        value = value() if callable(value) else value
        if decision.places[number].most < 0:
            return written(decision, name, value)
        return [written(decision, name, text) for text in value]

    def plain(self):
        """Its values as plain numbers, texts and lists."""
        cdef Decision decision = self.decision
        cdef int i
        plain = {}
        for i, name in enumerate(decision.names):
            if decision.places[i].code == c"s":
                plain[name] = self.text(i)
                continue
            value = self.values[name]
            make = float if decision.places[i].code == c"d" else int
            plain[name] = make(value) if decision.places[i].most < 0 else [make(item) for item in value]
        return plain

    def legal_actions(self):
        """The legal answers: a list, or a range."""
        if self.decision.legal >= 0:
            return list(self.values[LEGAL_ACTIONS])
        return range(self.decision.low, self.decision.high + 1)
