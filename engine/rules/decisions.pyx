"""The questions of rules written in Python: values by name, and which answers are legal.

C bots find the values in their struct, Python bots as attributes, programs in a
line of JSON. All are checked against what the contest declares, so that a
contest fails in the same way with bots of every kind. So are answers: C bots
return a number, or leave a text, a list or a number of any kind behind their struct.
"""

cimport cython
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_CheckExact
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcpy, memset

from engine.kernel.game_core cimport MOST_SEATS

import json
from sys import byteorder

# A value of this name lists the legal answers; others are illegal.
LEGAL_ACTIONS = "legal_actions"
# What every question shows first: the bot's position, the number of positions, and for each position a number of its
# bot that stays the same through the leg. C bots find them at the start of their struct, 4 bytes each.
SEATING = ("seat", "seats", "players")
# In bytes, by code; a list's count has 32 bits.
SIZES = {"i": 4, "q": 8, "d": 8, "c": 4, "s": 1}
# Behind a C bot's struct.
MOST_ANSWER_BYTES = 1 << 16


cdef class Decision:
    """A decision that is asked of a bot's function or method of that name.

    `values`: (name, code, low, high, most, choices) of each value. Its code is i or q (a whole number of 32 or 64
    bits from `low` to `high`), d (any number), c (one of the `choices`, names) or s (a text); `most`: a list's greatest
    length, -1 for a single value. `answer` is the same without a name; the bytes of a text are at most its `high`, and
    those of a list of texts can't be answered. With a value called LEGAL_ACTIONS the answer is one of them. `default`
    counts for a bot that is at fault. An illegal answer is a fault, unless it `loses`: then the rules get it, as an
    Illegal. Raises ValueError for an impossible declaration.
    """

    def __init__(self, str name, values, *, answer, default=None, bint loses=False):
        cdef int i
        self.name = name
        self.loses = loses
        self.value_specs = tuple(values)
        self.answer_spec = tuple(answer)
        self.default = default
        self.legal = -1
        self.names = [value[0] for value in self.value_specs]
        self.choices = [places_of(value[5]) for value in self.value_specs]
        free(self.places)
        self.places = <Place*>calloc(max(1, len(self.value_specs)), sizeof(Place))
        if self.places == NULL:
            raise MemoryError
        for i, (value, code, least, greatest, most, _) in enumerate(self.value_specs):
            if code not in ("i", "q", "d", "s", "c") or most < -1 or least > greatest:
                raise ValueError(f"{name} can't show {value} so")
            self.places[i] = Place(ord(code), least, greatest, most)
            if value == LEGAL_ACTIONS:
                self.legal = i
        if len(set(self.names)) < len(self.names):
            raise ValueError(f"{name} shows something twice")
        code, least, greatest, most, choices = self.answer_spec
        self.answer_choices = places_of(choices)
        self.answered = Place(ord(code), least, greatest, most)
        self.takes_numbers = code in ("i", "q") and most < 0
        self.room = 0
        if self.legal < 0 and code == "s":
            self.room = greatest + 1
        elif most >= 0:
            self.room = SIZES[code] * max(1, most)
        if self.room > MOST_ANSWER_BYTES:
            raise ValueError(
                f"{name}: an answer takes up to {self.room} bytes, at most {MOST_ANSWER_BYTES} are possible"
            )
        if self.legal < 0:
            self.default = checked_answer(self, default)

    def __dealloc__(self):
        free(self.places)

    @property
    def leaves_answers(self):
        """Whether what a C bot returns isn't its answer."""
        return self.room > 0 or (self.legal < 0 and self.answered.code == c"d")

    @property
    def answer_bytes(self):
        """What a C bot's answer takes behind its struct, 0 where it returns the answer."""
        return self.room

    def __call__(self, int position, /, *, default=None, **values):
        """Return the question to a position, from 0, with these values; `default` replaces the declared one.

        A text, or a list of texts, may be a function that makes it: only some bots are shown texts.
        """
        cdef Question question = Question.__new__(Question)
        question.decision = self
        question.position = position
        question.values = values
        question.check(default)    # here, where the traceback names the rules' own line
        return question


@cython.final
cdef class Placement:
    """Where one contest's C bots find a decision's values and leave its answer. Contests can share a decision.

    Args:
        decision: The decision.
        kind: Its number in the contest.
        offsets: Offset of each value in the bots' struct, by name. A list has (offset of its count, offset of its first
            item).
        answer_offset: Offset of answers that aren't returned.
        wide_actions: Whether legal actions that are numbers have 64 bits in the struct.
    """

    def __init__(self, Decision decision not None, int kind, offsets, int answer_offset=0, *, bint wide_actions=False):
        cdef int i
        self.decision = decision
        self.kind = kind
        self.answer_offset = answer_offset
        self.wide_actions = wide_actions
        free(self.offsets)
        self.offsets = <StructOffset*>calloc(max(1, len(decision.names)), sizeof(StructOffset))
        if self.offsets == NULL:
            raise MemoryError
        for i, (name, code, _, _, most, _) in enumerate(decision.value_specs):
            if code != "s" and most < 0:
                self.offsets[i].value = offsets[name]
            elif code != "s":
                self.offsets[i].count, self.offsets[i].value = offsets[name]
            elif i == decision.legal:
                self.offsets[i].count = offsets[name]

    def __dealloc__(self):
        free(self.offsets)


@cython.final
cdef class Illegal:
    """What the rules get for an illegal answer that loses the game; `answer` is what the bot answered."""

    def __init__(self, answer):
        self.answer = answer

    def __repr__(self):
        return f"Illegal({self.answer!r})"


cdef dict places_of(choices):
    """The place of each name among the choices; None where there are none."""
    return None if choices is None else {name: place for place, name in enumerate(choices)}


cdef object checked_answer(Decision decision, object value):
    """An answer as rules get it. Raises ValueError for a wrong one, which says what it is."""
    cdef Place* place = &decision.answered
    if place.most < 0 or place.code == c"s":
        return checked_item(decision, place, value)
    if not isinstance(value, (list, tuple)):
        raise ValueError("no list")
    if len(value) > place.most:
        raise ValueError(f"{len(value)} items")
    return [checked_item(decision, place, item) for item in value]


cdef object checked_item(Decision decision, Place* place, object value):
    """An answer's number, choice or text, or one of a list."""
    cdef double real
    if place.code == c"s":
        if not isinstance(value, str):
            raise ValueError("no text")
        try:
            encoded = (<str>value).encode()
        except UnicodeEncodeError:
            raise ValueError("a text that isn't UTF-8") from None
        if len(encoded) > place.high:
            raise ValueError(f"a text of {len(encoded)} bytes")
        if 0 in encoded:
            raise ValueError("a text with a 0 byte")
        return value
    if isinstance(value, bool):
        raise ValueError("no number")
    if place.code == c"c":
        if isinstance(value, int) and 0 <= value <= place.high:
            return decision.answer_spec[4][value]
        if isinstance(value, str) and value in decision.answer_choices:
            return value
        raise ValueError("none of the choices")
    if place.code == c"d":
        if not isinstance(value, (int, float)):
            raise ValueError("no number")
        try:
            real = value
        except OverflowError:
            raise ValueError("no finite number") from None
        if not isfinite(real):
            raise ValueError("no finite number")
        return real
    if not isinstance(value, int):
        raise ValueError("no whole number")
    if not place.low <= value <= place.high:
        raise ValueError(f"{value} is not from {place.low} to {place.high}")
    return int(value)


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
        raise ValueError(f"{decision.name} shows {name} = {value!r}, which is no whole number of 64 bits") from None
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
        raise ValueError(f"{decision.name} shows {name} = {value!r}, which is no number") from None
    if not isfinite(number):
        raise ValueError(f"{decision.name} shows {name} = {value!r}, which is no finite number")
    return number


cdef inline int64_t cell(Decision decision, Place* place, str name, dict choices, object value) except? -1:
    """A value as a cell."""
    cdef double number
    cdef int64_t bits
    if place.code == c"c":
        if value not in choices:
            raise ValueError(f"{decision.name} shows {name} = {value!r}, which is none of {', '.join(choices)}")
        return choices[value]
    if place.code == c"d":
        number = fraction(decision, name, value)
        memcpy(&bits, &number, sizeof(number))
        return bits
    return whole(decision, place, name, value)


cdef str written(Decision decision, str name, object value):
    """A text."""
    if type(value) is not str:
        raise ValueError(f"{decision.name} shows {name} = {value!r}, which is no text")
    return value


@cython.final
cdef class Question:
    """A checked question to a position. Rules can yield it again."""

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
        for i in range(len(names)):
            is_told = is_told and names[i] in self.values
        if not is_told or len(self.values) != len(names):
            raise ValueError(f"{decision.name} shows {', '.join(self.values)}; declared is {', '.join(names)}")
        room = 1
        for i in range(len(names)):
            if decision.places[i].most >= 0 and (decision.places[i].code != c"s" or i == decision.legal):
                value = self.values[names[i]]
                count = len(value)
                if count > decision.places[i].most:
                    raise ValueError(
                        f"{decision.name}: {names[i]} has {count} items,"
                        f" at most {decision.places[i].most} were declared"
                    )
                # Taken once: a sequence of the author's own might have another length each time.
                self.values[names[i]] = value = tuple(value)
                if len(<tuple>value) != count:
                    raise ValueError(f"{decision.name} shows more or fewer {names[i]} than they are long")
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
                if i == decision.legal:     # C bots are shown how many there are
                    self.legal_cells = end
                    end[0] = len(<tuple>value)
                    end += 1
            elif place.most < 0:
                end[0] = cell(decision, place, name, decision.choices[i], value)
                end += 1
            else:
                if i == decision.legal:
                    self.legal_cells = end
                end[0] = len(<tuple>value)
                end += 1
                for item in <tuple>value:
                    end[0] = cell(decision, place, name, decision.choices[i], item)
                    end += 1
        return self.choose_default(given_default)

    cdef int choose_default(self, given) except -1:
        """Work out the answer that counts for a bot at fault."""
        cdef Decision decision = self.decision
        if decision.legal >= 0 and self.legal_cells[0] == 0:
            raise ValueError(f"{decision.name} is asked without a legal action")
        if given is None and decision.legal < 0:
            self.default = decision.default
            return 0
        try:
            self.default = self.values[LEGAL_ACTIONS][0] if given is None else self.checked(given)
        except ValueError as wrong:
            raise ValueError(f"{decision.name}: the default answer {given!r} is not legal: {wrong}") from None
        return 0

    cdef bint takes_number(self, int64_t answer) noexcept:
        """Whether a whole number is legal, where answers are whole numbers."""
        cdef Decision decision = self.decision
        cdef int64_t i
        if decision.legal < 0:
            return decision.answered.low <= answer <= decision.answered.high
        for i in range(1, self.legal_cells[0] + 1):
            if self.legal_cells[i] == answer:
                return True
        return False

    cdef object from_number(self, int64_t answer):
        """The answer that a whole number stands for. Raises ValueError for none, which says what it is."""
        if self.decision.takes_numbers:
            if not self.takes_number(answer):
                raise ValueError("not legal")
            return answer
        return self.checked(answer)

    cdef object from_memory(self, int64_t answer, const unsigned char* window, Placement placement):
        """What a C bot answered: by what it returned, or by what it left behind its struct."""
        cdef Decision decision = self.decision
        cdef Place* place = &decision.answered
        cdef const unsigned char* left = window + placement.answer_offset
        cdef const unsigned char* end
        cdef double real
        cdef int64_t i
        if decision.legal < 0 and place.code == c"d" and place.most < 0:
            memcpy(&real, &answer, sizeof(real))
            return self.checked(real)
        if decision.room == 0:
            return self.from_number(answer)
        if place.code == c"s":
            end = <const unsigned char*>memchr(left, 0, decision.room)
            if end == NULL:
                raise ValueError("a text without a 0 byte")
            try:
                return self.checked(left[:end - left].decode())
            except UnicodeDecodeError:
                raise ValueError("a text that isn't UTF-8") from None
        if not 0 <= answer <= place.most:
            raise ValueError(f"a length of {answer}")
        if place.code == c"d":
            return self.checked([(<const double*>left)[i] for i in range(answer)])
        if place.code == c"q":
            return self.checked([(<const int64_t*>left)[i] for i in range(answer)])
        return self.checked([(<const int32_t*>left)[i] for i in range(answer)])

    cdef object checked(self, object value):
        """An answer as the rules get it. Raises ValueError for a wrong one, which says what it is."""
        if self.decision.legal < 0:
            return checked_answer(self.decision, value)
        if self.decision.places[self.decision.legal].code == c"s":
            return self.legal_text(value)
        if isinstance(value, bool) or not isinstance(value, int) or value not in self.values[LEGAL_ACTIONS]:
            raise ValueError("not legal")
        return int(value)

    cdef object legal_text(self, object value):
        """A legal action that is a text, by itself or by its place among all."""
        legal = self.text(self.decision.legal)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(legal):
            return legal[value]
        if isinstance(value, str) and value in legal:
            return value
        raise ValueError("not legal")

    cdef void show(self, unsigned char* window, Placement placement, tuple players) noexcept:
        """Write its values and the number of the bot at each position into a C bot's struct."""
        cdef const int64_t* next_cell = self.cells
        cdef int32_t* seating = <int32_t*>window
        cdef Place* place
        cdef StructOffset offset
        cdef unsigned char* target
        cdef int64_t i, count
        cdef int number
        seating[0] = self.position
        seating[1] = <int32_t>len(players)
        for number in range(<int>len(players)):
            seating[2 + number] = <int32_t>players[number]
        if self.decision.room:
            memset(window + placement.answer_offset, 0, self.decision.room)
        for number in range(len(self.decision.names)):
            place = &self.decision.places[number]
            offset = placement.offsets[number]
            if place.code == c"s":
                if number == self.decision.legal:
                    (<int32_t*>(window + offset.count))[0] = <int32_t>next_cell[0]
                    next_cell += 1
                continue
            count = 1
            if place.most >= 0:
                count = next_cell[0]
                (<int32_t*>(window + offset.count))[0] = <int32_t>count
                next_cell += 1
            target = window + offset.value
            if place.code == c"c" or (
                place.code == c"i" and not (placement.wide_actions and number == self.decision.legal)
            ):
                for i in range(count):
                    (<int32_t*>target)[i] = <int32_t>next_cell[i]
            else:
                memcpy(target, next_cell, count * sizeof(int64_t))
            next_cell += count

    cdef bytes told(self, bint as_line, tuple players):
        """Return its values, with the number of the bot at each position.

        A program gets a line of JSON, a Python bot's process what messages have. The question's own values are encoded
        once: contests can ask the same question in many sessions.
        """
        cdef int64_t[MOST_SEATS + 2] numbers
        cdef Py_ssize_t seats = len(players), i
        if as_line:
            if self.line is None:
                self.line = (", " * bool(self.values) + json.dumps(self.plain())[1:]).encode() + b"\n"
            return b'{"decision": "%b", "seat": %d, "seats": %d, "players": %b%b' % (
                self.decision.name.encode(), self.position, seats, str(list(players)).encode(), self.line
            )
        if self.packed is None or self.seats != seats:
            self.seats = <int>seats
            self.bounds, self.packed = self.as_message()
        numbers[0], numbers[1] = self.position, seats
        for i in range(seats):
            numbers[2 + i] = <int64_t>players[i]
        return b"%bi%bi%bI%b%b" % (
            self.bounds,
            (<const char*>&numbers[0])[:sizeof(int64_t)],
            (<const char*>&numbers[1])[:sizeof(int64_t)],
            (<const char*>&numbers[2])[:seats * sizeof(int64_t)],
            self.packed,
        )

    cdef tuple as_message(self):
        """Return where all values begin, as `engine.processes.messages` says, and the question's own values."""
        cdef Decision decision = self.decision
        cdef const int64_t* cell = self.cells
        cdef int first = <int>len(SEATING)
        cdef size_t end = sizeof(uint32_t) * (first + len(decision.names) + 1)
        cdef bytes bounds = PyBytes_FromStringAndSize(NULL, end)
        cdef list parts = []
        cdef bytes part
        cdef Place* place
        cdef int64_t count
        cdef int i
        for i in range(first):
            (<uint32_t*>PyBytes_AS_STRING(bounds))[i] = <uint32_t>end
            end += 1 + sizeof(int64_t) * (self.seats if i == first - 1 else 1)
        for i in range(len(decision.names)):
            place = &decision.places[i]
            (<uint32_t*>PyBytes_AS_STRING(bounds))[first + i] = <uint32_t>end
            if place.code == c"s":
                part = self.texts(i)
                if i == decision.legal:
                    cell += 1
            elif place.code == c"c":
                part = self.texts(i)
                cell += 1 if place.most < 0 else cell[0] + 1
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
        (<uint32_t*>PyBytes_AS_STRING(bounds))[first + len(decision.names)] = <uint32_t>end
        return bounds, b"".join(parts)

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

    cdef dict shown(self, tuple players):
        """Return all that the bot is shown as plain numbers, texts and lists, by name."""
        return {"seat": self.position, "seats": len(players), "players": list(players), **self.plain()}

    def plain(self):
        """Its values as plain numbers, texts and lists."""
        cdef Decision decision = self.decision
        cdef int i
        plain = {}
        for i, name in enumerate(decision.names):
            if decision.places[i].code in b"sc":
                plain[name] = self.text(i)
                continue
            value = self.values[name]
            make = float if decision.places[i].code == c"d" else int
            plain[name] = make(value) if decision.places[i].most < 0 else [make(item) for item in value]
        return plain
