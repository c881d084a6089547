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

from engine.kernel.chance cimport Rng
from engine.rules.decisions cimport Illegal, Placement, Question
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, GameCore, Status
from engine.kernel.limits cimport MOST_VIEW_BYTES
from engine.kernel.records cimport Table
from engine.rules.steps cimport Steps

from math import fsum

from engine.kernel.chance import StreamRandom

import numpy as np

cdef extern from "Python.h":
    ctypedef enum PySendResult:
        PYGEN_RETURN
        PYGEN_ERROR
        PYGEN_NEXT
    PySendResult PyIter_Send(object generator, object value, PyObject** result) except PYGEN_ERROR
    void Py_DECREF(PyObject* referred)

cdef object OVER = object()     # instead of a question
# What the points of a zero-sum game may differ from 0 by rounding, as a share of their absolute sum.
ZERO_SUM_TOLERANCE = 1e-9

# Columns that all contests have: of games, around the contest's own, and of sessions.
_GAME_BEGINS = {"match": "int64", "session": "int32", "game": "int32", "first_seat": "uint8"}
_SESSION_BEGINS = {"match": "int64", "session": "int32", "games": "int32"}

cdef enum:
    GAMES_OF_A_SESSION = 32     # bits of a stream's number


def points_columns(int seats):
    """The columns of so many seats' points, in games and in sessions, and their types."""
    return dict.fromkeys(names_by_seat("points", seats), "float64")


def game_columns(int seats, columns):
    """All columns of games of so many seats, and their types: in the middle the contest's own, each as (name, type,
    whether there is one per seat)."""
    own = {}
    for name, kind, per_seat in columns:
        own.update(dict.fromkeys(names_by_seat(name, seats) if per_seat else [name], kind))
    return {**_GAME_BEGINS, **own, **points_columns(seats)}


def names_by_seat(str name, int seats):
    """The names of a column of which there is one per seat."""
    return [f"{name}_{seat}" for seat in range(seats)]


def session_columns(int seats):
    """All columns of sessions of so many seats, and their types."""
    return {**_SESSION_BEGINS, **points_columns(seats)}


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
        cdef int i = 0
        cdef int count = <int>len(self.names)
        try:
            while i < count:
                place = &self.places[i]
                value = values[i]
                target = place.content + row * place.size
                if not place.is_real:
                    number = value
                    if isinstance(value, float) or not place.low <= number <= place.high:
                        break
                    memcpy(target, &number, place.size)     # the lowest bytes come first
                else:
                    real = value
                    if place.size == sizeof(double):
                        (<double*>target)[0] = real
                    else:
                        (<float*>target)[0] = <float>real
                        real = <float>real      # infinite if 32 bits can't hold it
                    if not isfinite(real):
                        break
                i += 1
        except (TypeError, OverflowError):
            pass
        if i < count:
            raise ValueError(f"the rules record {self.names[i]} = {values[i]!r}, which its column can't hold")
        self.table.rows = row + 1
        return 0


cdef object explained(failure):
    """An exception of the rules, with a hint if a question was used as an answer."""
    if isinstance(failure, (TypeError, AttributeError)) and "Question'" in str(failure):
        hint = f"{failure}; a question isn't an answer: did you forget yield?"
        return type(failure)(hint).with_traceback(failure.__traceback__)
    return failure


@cython.final
cdef class SessionCore(GameCore):
    """One leg by rules in Python: `play_session` takes a Session and gives the generator that plays it.

    The generator yields questions, which decisions make (`engine.rules.decisions`), is sent legal answers, and records
    games. Questions in a list are asked together: none of their answers is known before the last. `columns`: of the
    contest's own columns of games, as `game_columns` takes them. `placements`: one of each of the contest's decisions.
    A game has at most `max_questions`, over all seats, so that play in which no bot acts ends. `deals_key`, 32 bytes,
    chooses the chance, different in each game. There are so many `seats`; the one that comes first is `first` in the first session, and in each
    after it the one before. `zero_sum` has each game checked for it. An exception of the rules ends the leg, and
    `check` raises it, as one of their `steps` that takes too long.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        play_session,
        columns,
        placements,
        *,
        bytes deals_key,
        int64_t sessions,
        int64_t max_questions=100_000,
        Steps steps=None,
        match=0,
        first_session=0,
        int seats=2,
        int first=0,
        bint zero_sum=True,
    ):
        self.take_seats(seats)
        self.play_session = play_session
        self.steps = steps
        self.sessions = sessions
        self.match = match
        self.first_session = first_session
        self.first = first
        self.zero_sum = zero_sum
        self.placements = {placement.decision: placement for placement in placements}
        self.max_questions = max_questions
        self.columns = [(name, per_seat) for name, _, per_seat in columns]
        self.games_table = games_table
        self.sessions_table = sessions_table
        self.games_rows = Rows(games_table, game_columns(seats, columns))
        self.sessions_rows = Rows(sessions_table, session_columns(seats))
        self.rng = Rng(deals_key)
        self.losers = {}

    cdef int64_t default_answer(self) noexcept nogil:
        with gil:
            if self.asked.decision.takes_numbers:
                return self.asked.default
            self.given = self.asked.default
        self.is_given = True    # of the next step
        return 0

    cdef int64_t read_answer(self, object value) except? -1:
        """Keep what a process answered for the next step. Raises ValueError where it is to be a whole number."""
        if self.asked.decision.takes_numbers:
            raise ValueError("wrote no whole number")
        self.given = value
        self.is_given = True
        return 0

    cdef object meant(self, int64_t answer):
        """What the asked bot's answer means to the rules. Raises ValueError for one that isn't legal."""
        if self.is_given:
            return self.asked.checked(self.given)
        if self.sees_memory(self.asked.seat):
            return self.asked.from_memory(answer, self.windows[self.asked.seat], self.placement)
        return self.asked.from_number(answer)

    cdef object said(self, int64_t answer):
        if self.is_given:
            return self.given
        try:
            return self.meant(answer)
        except ValueError as wrong:
            return str(wrong) if self.asked.decision.leaves_answers else answer

    cdef bint sees_memory(self, int seat) noexcept nogil:
        """Whether a seat's views go into its bot's own memory."""
        return self.windows[seat] != self.scratch + seat * MOST_VIEW_BYTES

    cdef Status step(self, int64_t answer) noexcept nogil:
        with gil:
            try:
                return self.play_on(answer)
            except BaseException as failure:
                self.failure = explained(failure)
                return LEG_OVER

    cdef Status play_on(self, int64_t answer) except *:
        if self.is_asking:
            self.took_illegal_answer = False
            try:
                self.reply = self.meant(answer)
            except ValueError:
                if not self.asked.decision.loses:
                    self.refused_value = self.said(answer)
                    self.is_given = False
                    return REFUSED
                self.reply = Illegal(self.said(answer))
                self.took_illegal_answer = True
                self.losers[self.asked.seat] = self.asked.decision.name
            self.is_given = False
            if self.order is not None:
                self.replies[self.order[self.place]] = self.reply
                self.place += 1
                if self.place < <int>len(self.order):
                    return self.ask_one(0)
                self.reply = self.replies
            self.is_asking = False
        while True:
            if not (self.games_rows.catch_up() & self.sessions_rows.catch_up()):
                return RECORDS_FULL
            if self.generator is None:
                if self.session == self.sessions:
                    self.asked = None
                    self.questions = None
                    self.current = None     # they refer to this core
                    return LEG_OVER
                self.current = Session(self)
                self.reply = None
            yielded = self.take_step()
            if yielded is OVER:
                self.generator = None
                self.finish_session()
                continue
            if type(yielded) is not Question:
                self.take_list(yielded)
                if not self.order:
                    self.reply = self.replies
                    continue
                self.is_asking = True
                return self.ask_one(0)
            self.order = None
            self.take(<Question>yielded)
            if self.dismissed >> (<Question>yielded).seat & 1:
                self.reply = (<Question>yielded).default
                continue
            self.is_asking = True
            self.ask(<Question>yielded)
            return DECIDE

    cdef int take(self, Question question) except -1:
        """Check that a seat can be asked this, and show it to a bot in the worker's memory."""
        if not 0 <= question.seat < self.seats:
            self.refuse(ValueError(
                f"{question.decision.name} asks seat {question.seat}; there are 0 to {self.seats - 1}"
            ))
        placement = self.placements.get(question.decision)
        if placement is None:
            self.refuse(ValueError(f"{question.decision.name} is none of the contest's decisions"))
        self.questions_asked += 1
        if self.questions_asked > self.max_questions:
            self.refuse(ValueError(
                f"a game has more than {self.max_questions:,} questions; raise max_questions if such games are meant"
            ))
        if self.sees_memory(question.seat):
            question.show(self.windows[question.seat], <Placement>placement)
        return 0

    cdef int take_list(self, yielded) except -1:
        """Make questions that are asked together the pending ones, in the order of their seats."""
        if not isinstance(yielded, (list, tuple)):
            self.refuse(TypeError(f"the rules yield {yielded!r}, which is no question"))
        self.questions = list(yielded)
        if not self.questions:
            self.refuse(ValueError("the rules yield a list without a question"))
        seats = []
        for one in self.questions:      # all views are written before the first bot answers
            if type(one) is not Question:
                self.refuse(TypeError(f"the rules yield a list with {one!r}, which is no question"))
            self.take(<Question>one)
            seats.append((<Question>one).seat)
        if len(set(seats)) < len(seats):
            self.refuse(ValueError("the rules ask a seat twice together"))
        self.order = [i for i in sorted(range(len(seats)), key=seats.__getitem__) if not self.dismissed >> seats[i] & 1]
        self.replies = [(<Question>one).default for one in self.questions]
        self.place = 0
        return 0

    cdef Status ask_one(self, int ahead) except *:
        """Make the one of those asked together pending that is so many after the next."""
        self.ask(<Question>self.questions[self.order[self.place + ahead]])
        self.pending_count = <int>len(self.order) - self.place
        return DECIDE

    cdef int ask(self, Question question) except -1:
        self.asked = question
        self.placement = <Placement>self.placements[question.decision]
        self.decision.kind = self.placement.kind
        self.decision.seat = question.seat
        self.decision.argument_count = 0
        self.pending_count = 1
        return 0

    cdef void look_at(self, int ahead) noexcept nogil:
        with gil:
            self.ask_one(ahead)

    cdef int refuse(self, error) except -1:
        """Raise an error about what the rules yielded, with the line that did as its place."""
        self.generator.throw(error)
        raise error     # the rules went on

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

    cdef int require_lost(self, list points) except -1:
        """Raise ValueError unless those who answered illegally lose the game that was worth these points."""
        kept = [one for seat, one in enumerate(points) if seat not in self.losers]
        for seat, decision in self.losers.items():
            if kept and (points[seat] > min(kept) or points[seat] >= max(kept)):
                raise ValueError(
                    f"seat {seat} answered {decision} illegally, which loses the game: it gets fewer points than the"
                    f" others; the rules record {', '.join(map(str, points))}"
                )
        self.losers.clear()
        return 0

    cdef int finish_session(self) except -1:
        """Record the session now played, and go on to the next."""
        if self.game == 0:
            raise ValueError("the rules end a session without a game")
        for seat, decision in self.losers.items():
            raise ValueError(f"seat {seat} answered {decision} illegally, and the rules record no game that it loses")
        points = [self.session_points[seat] for seat in range(self.seats)]
        self.sessions_rows.add([self.match, self.first_session + self.session, self.game, *points])
        self.score_session()
        return 0

    @property
    def took_illegal(self):
        return self.took_illegal_answer

    cdef bytes told(self, bint as_line):
        return self.asked.told(as_line)

    def told_values(self):
        """The pending decision's values by name."""
        return self.asked.plain()

    def refused(self):
        return self.refused_value

    def check(self):
        if self.failure is not None:
            raise self.failure


@cython.final
cdef class Session:
    """A session as its rules see it: its `number` in the leg, from 0, and how many `games` it has recorded.

    There are `seats` seats; `first_seat` comes first, which is another in the next session. `rng` is the chance of
    the game now played: each recorded game starts another, so that the legs of a duplicate match meet the same, no
    matter how much they draw.
    """

    def __init__(self, SessionCore core):
        self.core = core
        self.number = core.session
        self.seats = core.seats
        self.first_seat = (core.first + core.seats - <int>(core.session % core.seats)) % core.seats
        self.rng = core.rng
        core.questions_asked = 0
        core.rng.turn_to(<uint64_t>core.session << GAMES_OF_A_SESSION)

    @property
    def random(self):
        """A `random.Random` that draws from the same stream as `rng`, for all that Python's `random` can do."""
        if self.stream_random is None:
            self.stream_random = StreamRandom(self.rng)
        return self.stream_random

    def next_seat(self, int seat):
        """The seat after this one; the first follows the last."""
        return (seat + 1) % self.seats

    @property
    def turn_order(self):
        """All seats, starting with `first_seat`, as a list."""
        return [(self.first_seat + place) % self.seats for place in range(self.seats)]

    def record(self, points, /, **columns):
        """Record a game: what it was worth to each seat, in their order, and the contest's own columns; a column per
        seat takes as many values.

        Raises ValueError for other columns than the contest's, and for a value that its column can't hold.
        """
        cdef SessionCore core = self.core
        cdef list values, worth
        cdef int seat
        if core.current is not self:
            raise ValueError("the session is over")
        worth = [<double>one + 0.0 for one in points]     # -0 becomes 0
        if len(worth) != core.seats:
            raise ValueError(f"the rules record points of {len(worth)} seats; there are {core.seats}")
        if core.zero_sum:
            if abs(fsum(worth)) > ZERO_SUM_TOLERANCE * sum(map(abs, worth)):
                raise ValueError(f"a game of a zero-sum contest is worth {', '.join(map(str, worth))}")
            if core.seats == 2:     # standings take the second seat's points from the first one's
                worth[1] = 0.0 - <double>worth[0]
        if core.losers:
            core.require_lost(worth)
        values = [core.match, core.first_session + core.session, self.games, self.first_seat]
        for name, per_seat in core.columns:
            if name not in columns:
                raise ValueError(f"the rules record no {name}")
            if not per_seat:
                values.append(columns[name])
                continue
            each = list(columns[name])
            if len(each) != core.seats:
                raise ValueError(f"the rules record {name} of {len(each)} seats; there are {core.seats}")
            values += each
        if len(columns) != len(core.columns):
            unknown = sorted(columns.keys() - dict(core.columns).keys())
            raise ValueError(f"the rules record {', '.join(unknown)}, which has no column")
        values += worth
        core.games_rows.add(values)
        for seat in range(core.seats):
            core.session_points[seat] += <double>worth[seat]
        core.games_recorded += 1
        core.game += 1
        core.questions_asked = 0
        self.games += 1
        self.rng.turn_to((<uint64_t>self.number << GAMES_OF_A_SESSION) + self.games)
