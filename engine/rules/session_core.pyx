"""A core that plays sessions by rules written in Python: a generator for each, which asks and records.

It is a state machine like every other, so bots of all kinds and legs in step can be
put behind it. It takes the GIL for each step.
"""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint64_t
from libc.math cimport isfinite
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from engine.kernel.chance cimport Chance
from engine.rules.decisions cimport Asked
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, GameCore, Status
from engine.kernel.records cimport Table
from engine.rules.steps cimport Steps

import numpy as np

cdef extern from "Python.h":
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT
    PySendResult PyIter_Send(object generator, object value, PyObject** result) except PYGEN_ERROR
    void Py_DECREF(PyObject* referred)

cdef object OVER = object()     # instead of a question

# Columns that all contests have: of games, around the contest's own, and of sessions.
GAME_BEGINS = {"match": "int32", "session": "int32", "game": "int32", "x_is_first": "bool"}
GAME_ENDS = {"points_0": "float64", "points_1": "float64"}
SESSION_COLUMNS = {"match": "int32", "session": "int32", "games": "int32", "points_0": "float64", "points_1": "float64"}

cdef enum:
    GAMES_OF_A_SESSION = 32     # bits of a stream's number


KINDS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64")   # of columns


@cython.final
cdef class Rows:
    """Rows on their way into a table, whose columns have these names and types, in order.

    Raises TypeError for a table with other columns.
    """

    def __init__(self, Table table, columns):
        cdef ColumnPlace* place
        cdef int i
        buffered = {name: "uint8" if kind == "bool" else kind for name, kind in columns.items()}
        there = {name: table.row[name].name for name in table.row.names}
        if list(buffered.items()) != list(there.items()):
            raise TypeError(f"the rules write {buffered}, the table has {there}")
        self.table = table
        self.names = list(columns)
        self.places_by_name = {name: i for i, name in enumerate(columns)}
        self.waiting = []
        free(self.places)
        self.places = <ColumnPlace*>calloc(len(self.names), sizeof(ColumnPlace))
        if self.places == NULL:
            raise MemoryError
        for i, (name, kind) in enumerate(columns.items()):
            if kind not in KINDS:
                raise ValueError(f"no column can be {kind}; there are {', '.join(KINDS)}")
            place = &self.places[i]
            place.content = table.columns.content + <int64_t>table.row.fields[name][1] * table.columns.pitch
            place.size = np.dtype(kind).itemsize
            place.is_real = kind.startswith("float")
            if not place.is_real:
                place.low = 0 if kind == "bool" else np.iinfo(kind).min
                place.high = 1 if kind == "bool" else np.iinfo(kind).max

    def __dealloc__(self):
        free(self.places)

    cdef int add(self, list values) except -1:
        """Write a row, or keep it until there is room."""
        if self.waiting or self.table.rows == self.table.capacity:
            self.waiting.append(values)
            return 0
        return self.write(values)

    cdef bint catch_up(self) except *:
        """Write the rows that wait; false when there is no room for all."""
        cdef int64_t written = 0
        if not self.waiting:
            return True
        for values in self.waiting:
            if self.table.rows == self.table.capacity:
                break
            self.write(values)
            written += 1
        del self.waiting[:written]
        return not self.waiting

    cdef int write(self, list values) except -1:
        """Write a row into the table, which has room. Raises ValueError for a value that its column can't hold."""
        cdef int64_t row = self.table.rows
        cdef int64_t number
        cdef double real
        cdef ColumnPlace* place
        cdef char* target
        cdef int i
        cdef bint fits
        for i in range(len(self.names)):
            place = &self.places[i]
            value = values[i]
            try:
                if place.is_real:
                    real = value
                    fits = isfinite(real)
                else:
                    number = value
                    fits = not isinstance(value, float) and place.low <= number <= place.high
            except (TypeError, OverflowError):
                fits = False
            if not fits:
                raise ValueError(f"the rules record {self.names[i]} = {value!r}, which its column can't hold")
            target = place.content + row * place.size
            if not place.is_real:
                memcpy(target, &number, place.size)     # the lowest bytes come first
            elif place.size == sizeof(double):
                (<double*>target)[0] = real
            else:
                (<float*>target)[0] = <float>real
        self.table.rows = row + 1
        return 0


@cython.final
cdef class SessionCore(GameCore):
    """One leg by rules in Python: `play_session` takes a Session and gives the generator that plays it.

    The generator yields questions, which decisions make (`engine.rules.decisions`), is sent legal answers, and
    records games. `columns`: names and types of the contest's own columns of games. `deals_key`, 32 bytes, chooses
    the chance, different in each game; `seats_swapped` has y come first in even sessions, as in odd legs. `zero_sum`
    has each game checked for it. An exception of the rules ends the leg, and `check` raises it, as one of their
    `steps` that takes too long.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        play_session,
        columns,
        *,
        bytes deals_key,
        int64_t sessions,
        Steps steps=None,
        match=0,
        first_session=0,
        bint seats_swapped=False,
        bint zero_sum=True,
    ):
        self.play_session = play_session
        self.steps = steps
        self.sessions = sessions
        self.match = match
        self.first_session = first_session
        self.seats_swapped = seats_swapped
        self.zero_sum = zero_sum
        self.games_table = games_table
        self.sessions_table = sessions_table
        self.games_rows = Rows(games_table, {**GAME_BEGINS, **columns, **GAME_ENDS})
        self.sessions_rows = Rows(sessions_table, SESSION_COLUMNS)
        self.chance = Chance(deals_key)

    cdef int64_t default_answer(self) noexcept nogil:
        return self.asked.default

    cdef Status step(self, int64_t answer) noexcept nogil:
        with gil:
            try:
                return self.play_on(answer)
            except BaseException as failure:
                self.failure = failure
                return LEG_OVER

    cdef Status play_on(self, int64_t answer) except *:
        if self.is_asking:
            if not self.asked.takes(answer):
                self.refused_answer = answer
                return REFUSED
            self.is_asking = False
            self.reply = answer
        while True:
            if not (self.games_rows.catch_up() & self.sessions_rows.catch_up()):
                return RECORDS_FULL
            if self.generator is None:
                if self.session == self.sessions:
                    self.asked = None
                    self.current = None     # they refer to this core
                    return LEG_OVER
                self.current = Session(self)
                self.reply = None
            question = self.take_step()
            if question is OVER:
                self.generator = None
                self.finish_session()
                continue
            if type(question) is not Asked:
                raise TypeError(f"the rules yield {question!r}, which is no question")
            self.asked = <Asked>question
            self.decision.kind = self.asked.decision.kind
            self.decision.seat = self.asked.seat
            self.decision.argument_count = 0
            if self.windows[self.asked.seat] != self.scratch[self.asked.seat]:
                self.asked.show(self.windows[self.asked.seat])
            self.is_asking = True
            return DECIDE

    cdef object take_step(self):
        """What the rules yield next, or OVER."""
        if self.steps is None:
            return self.go_on()
        self.steps.begin()
        try:
            return self.go_on()
        finally:
            self.steps.end()

    cdef object go_on(self):
        cdef PyObject* yielded = NULL
        cdef PySendResult result
        if self.generator is None:
            self.generator = self.play_session(self.current)
        result = PyIter_Send(self.generator, self.reply, &yielded)
        found = <object>yielded
        Py_DECREF(yielded)
        return found if result == PYGEN_NEXT else OVER

    @property
    def steps_in_python(self):
        return True

    def heed(self, stopping):
        if self.steps is not None:
            self.steps.stopping = stopping

    cdef int finish_session(self) except -1:
        """Record the session now played, and go on to the next."""
        if self.game == 0:
            raise ValueError("the rules end a session without a game")
        points_0 = self.session_points[0]
        points_1 = self.session_points[1]
        self.sessions_rows.add([self.match, self.first_session + self.session, self.game, points_0, points_1])
        self.score_session()
        return 0

    cdef bytes told(self, bint as_line):
        return self.asked.told(as_line)

    def told_values(self):
        """The pending decision's values by name."""
        return self.asked.plain()

    def check(self):
        if self.failure is not None:
            raise self.failure


@cython.final
cdef class Session:
    """A session as its rules see it: its `number` in the leg, from 0, and how many `games` it has recorded.

    `first`: the seat that comes first, in turns. `chance` is that of the game now played: each recorded game starts
    another, so that the legs of a duplicate match meet the same, however much they draw.
    """

    def __init__(self, SessionCore core):
        self.core = core
        self.number = core.session
        self.first = <int>(core.session & 1) ^ core.seats_swapped
        self.chance = core.chance
        core.chance.turn_to(<uint64_t>core.session << GAMES_OF_A_SESSION)

    def record(self, double points_0, double points_1, /, **columns):
        """Record a game: what it was worth to x and to y, and the contest's own columns.

        Raises ValueError for other columns than the contest's, and for a value that its column can't hold.
        """
        cdef SessionCore core = self.core
        cdef Rows rows = core.games_rows
        cdef list values
        cdef int missing = len(rows.names) - 6 - len(columns)
        if core.current is not self:
            raise ValueError("the session is over")
        if core.zero_sum and points_0 != -points_1:
            raise ValueError(f"a game of a zero-sum contest is worth {points_0} to x and {points_1} to y")
        points_0 += 0.0     # -0 becomes 0
        points_1 += 0.0
        values = [core.match, core.first_session + core.session, self.games, self.first == 0]
        try:
            for i in range(4, len(rows.names) - 2):
                values.append(columns[rows.names[i]])
        except KeyError as lacking:
            raise ValueError(f"the rules record no {lacking.args[0]}") from None
        if missing:
            raise ValueError(f"the rules record {', '.join(set(columns) - set(rows.names))}, which has no column")
        values += [points_0, points_1]
        rows.add(values)
        core.session_points[0] += points_0
        core.session_points[1] += points_1
        core.games_recorded += 1
        core.game += 1
        self.games += 1
        self.chance.turn_to((<uint64_t>self.number << GAMES_OF_A_SESSION) + self.games)
