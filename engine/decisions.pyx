"""What rules written in Python ask bots: values by name, and which answers are legal.

C bots find the values in their struct, Python bots as attributes, programs in a
line of JSON. All are checked against what the contest declares, whoever is
asked: a contest fails alike with bots of every kind.
"""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from libc.math cimport isfinite
from libc.stdint cimport INT64_MAX, INT64_MIN, int32_t, int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import json
import marshal

# A value of this name is a list of the answers that count; others are faults.
LEGAL_ACTIONS = "legal_actions"
# The way of writing in which equal values are equal bytes; later ones depend on how often an object is referred to.
cdef int MARSHAL_VERSION = 2

# In bytes, by code; a whole number that says how many a list has is of 32 bits.
SIZES = {"i": 4, "q": 8, "d": 8}


cdef class Decision:
    """A decision that a bot is asked for, of the function or method of that name.

    `tells`: (name, code, low, high, most) of each value. Its code is i or q (a whole number of 32 or 64
    bits from `low` to `high`), d (a fraction) or s (a text); `most`: so many at most of a list, -1 for a single value.
    An answer is one of the LEGAL_ACTIONS if such a value is told, else from `low` to `high`; `default`
    counts for a bot that is at fault. Raises ValueError for what can't be.
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
        free(self.runs)

    def place(self, int kind, offsets, int size):
        """Make it the contest's question of this number.

        `offsets`: by a value's name, where it lies in the bot's struct of `size` bytes; for a list (that of
        its count, that of its first item). Raises ValueError when it has one already, in another contest.
        """
        cdef int i
        cdef Place* place
        cdef list spans = []
        if self.kind >= 0 and (self.kind != kind or self.size != size):
            raise ValueError(f"the decision {self.name} belongs to another contest already")
        self.kind = kind
        self.size = size
        for i, (name, code, _, _, most) in enumerate(self.tells):
            place = &self.places[i]
            if code == "s":
                continue
            if most < 0:
                place.offset = offsets[name]
                spans.append((place.offset, SIZES[code]))
            else:
                place.count_offset, place.offset = offsets[name]
                spans += [(place.count_offset, 4), (place.offset, most * SIZES[code])]
        free(self.runs)
        self.runs = <Run*>calloc(max(1, len(spans)), sizeof(Run))
        if self.runs == NULL:
            raise MemoryError
        self.run_count = 0
        for offset, length in sorted(spans):
            if self.run_count and self.runs[self.run_count - 1].offset + self.runs[self.run_count - 1].size == offset:
                self.runs[self.run_count - 1].size += length
            else:
                self.runs[self.run_count] = Run(offset, length)
                self.run_count += 1

    def __call__(self, int seat, /, *, default=None, **values):
        """The question to seat x (0) or y (1), with these values; `default` instead of the declared one."""
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
    """The same of what is no plain int, or not within the limits."""
    cdef int64_t number
    try:
        number = value
    except (TypeError, OverflowError):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no whole number of 64 bits") from None
    if isinstance(value, float) or not place.low <= number <= place.high:
        raise ValueError(f"{decision.name} tells {name} = {value!r}; declared is {place.low} to {place.high}")
    return number


cdef double fraction(Decision decision, str name, object value) except? -1:
    """A number that JSON can tell."""
    cdef double number
    try:
        number = value
    except (TypeError, OverflowError):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no number") from None
    if not isfinite(number):
        raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no finite number")
    return number


cdef inline void put(unsigned char* target, int code, int64_t number) noexcept:
    if code == c"i":
        (<int32_t*>target)[0] = <int32_t>number
    else:
        (<int64_t*>target)[0] = number


@cython.final
cdef class Asked:
    """A question as put to a seat, checked. It may be asked again."""

    def __dealloc__(self):
        free(self.image)

    cdef int check(self, given_default) except -1:
        """See that it tells what its decision declares, and work out what C bots see. Raises ValueError."""
        cdef Decision decision = self.decision
        cdef Place* place
        cdef unsigned char* target
        cdef list names = decision.names
        cdef int i, count, width
        if not 0 <= self.seat <= 1:
            raise ValueError(f"{decision.name} asks seat {self.seat}; there are 0 and 1")
        if decision.kind < 0:
            raise ValueError(f"{decision.name} is none of the contest's decisions")
        if len(self.values) != len(decision.names):
            raise ValueError(f"{decision.name} tells {', '.join(self.values)}; declared is {', '.join(decision.names)}")
        cdef unsigned char* image = <unsigned char*>calloc(1, decision.size + 8)
        if image == NULL:
            raise MemoryError
        try:
            for i in range(len(names)):
                name = <str>names[i]
                place = &decision.places[i]
                try:
                    value = self.values[name]
                except KeyError:
                    raise ValueError(f"{decision.name} does not tell {name}") from None
                target = image + place.offset
                if place.most < 0:
                    if place.code == c"s":
                        if type(value) is not str:
                            raise ValueError(f"{decision.name} tells {name} = {value!r}, which is no text")
                    elif place.code == c"d":
                        (<double*>target)[0] = fraction(decision, name, value)
                    else:
                        put(target, place.code, whole(decision, place, name, value))
                    continue
                count = <int>len(value)
                if count > place.most:
                    raise ValueError(f"{decision.name} tells {count} {name}; declared are {place.most} at most")
                width = 4 if place.code == c"i" else 8
                for item in value:
                    if place.code == c"s":
                        if type(item) is not str:
                            raise ValueError(f"{decision.name} tells {item!r} among {name}, which is no text")
                    elif place.code == c"d":
                        (<double*>target)[0] = fraction(decision, name, item)
                        target += 8
                    else:
                        put(target, place.code, whole(decision, place, name, item))
                        target += width
                if place.code != c"s":
                    (<int32_t*>(image + place.count_offset))[0] = count
            self.image = image
            image = NULL
            self.choose_default(given_default)
        finally:
            free(image)
        return 0

    cdef int choose_default(self, given) except -1:
        """Work out what counts for a bot at fault."""
        cdef Decision decision = self.decision
        if decision.legal >= 0 and not len(self.values[LEGAL_ACTIONS]):
            raise ValueError(f"{decision.name} is asked without a legal action")
        if given is not None:
            self.default = given
        elif decision.legal >= 0:
            self.default = self.values[LEGAL_ACTIONS][0]
        else:
            self.default = decision.default
        if not self.takes(self.default):
            raise ValueError(f"{decision.name}: the default answer {self.default} is not legal")
        return 0

    cdef bint takes(self, int64_t answer) noexcept:
        """Whether an answer is legal."""
        cdef Decision decision = self.decision
        cdef Place* place
        cdef unsigned char* items
        cdef int i, count
        if decision.legal < 0:
            return decision.low <= answer <= decision.high
        place = &decision.places[decision.legal]
        items = self.image + place.offset
        count = (<int32_t*>(self.image + place.count_offset))[0]
        for i in range(count):
            if ((<int32_t*>items)[i] if place.code == c"i" else (<int64_t*>items)[i]) == answer:
                return True
        return False

    cdef void show(self, unsigned char* window) noexcept:
        """Write what it tells into a C bot's struct."""
        cdef Run* run
        cdef int i
        for i in range(self.decision.run_count):
            run = &self.decision.runs[i]
            memcpy(window + run.offset, self.image + run.offset, run.size)

    cdef bytes told(self, bint as_line):
        """What it tells, for a program as a line of JSON, for a Python bot's process as `marshal` has it."""
        if as_line:
            if self.line is None:
                self.line = json.dumps({"question": self.decision.name, **self.plain()}).encode() + b"\n"
            return self.line
        if self.packed is None:
            self.packed = marshal.dumps(self.plain(), MARSHAL_VERSION)
        return self.packed

    def plain(self):
        """What it tells, as plain numbers, texts and lists."""
        cdef Decision decision = self.decision
        cdef int i
        plain = {}
        for i, name in enumerate(decision.names):
            value = self.values[name]
            make = str if decision.places[i].code == c"s" else float if decision.places[i].code == c"d" else int
            plain[name] = make(value) if decision.places[i].most < 0 else [make(item) for item in value]
        return plain

    def legal_actions(self):
        """The answers that count: a list, or a range."""
        if self.decision.legal >= 0:
            return list(self.values[LEGAL_ACTIONS])
        return range(self.decision.low, self.decision.high + 1)
