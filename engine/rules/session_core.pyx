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
from engine.rules.decisions cimport Decision, Illegal, Question
from engine.rules.placements cimport Placement
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, GameCore, Status
from engine.kernel.limits cimport MAX_VIEW_BYTES
from engine.kernel.records cimport Table
from engine.rules.steps cimport Steps

from collections.abc import Mapping
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
# Maximum sum of the points of a zero-sum game, because of rounding, as a share of their absolute sum.
ZERO_SUM_TOLERANCE = 1e-9

# Columns that all contests have: of games, around the contest's own, and of sessions.
_GAME_BEGINS = {"match": "int64", "session": "int32", "game": "int32"}
_SESSION_BEGINS = {"match": "int64", "session": "int32"}

cdef enum:
    GAMES_OF_A_SESSION = 32     # bits of a stream's number

# The streams that draw who sits where, one for each block of sessions: above those of all sessions.
cdef uint64_t SEATING_STREAMS = 3 << 62


def points_columns(int seats):
    """Return the columns of the points of each position, or team, in games and in sessions, with their types."""
    return dict.fromkeys(names_by_position("points", seats), "float64")


def bot_columns(int seats):
    """Return the columns that say which seat of the match sits at each position, or in each team, with their types."""
    return dict.fromkeys(names_by_position("bot", seats), "uint8")


def game_columns(int seats, columns):
    """Return all columns of games with their types, in order.

    Args:
        seats: Number of positions, or of teams.
        columns: The contest's own columns, each as (name, type, whether there is one per position).
    """
    own = {}
    for name, kind, per_seat in columns:
        own.update(dict.fromkeys(names_by_position(name, seats) if per_seat else [name], kind))
    return {**_GAME_BEGINS, **bot_columns(seats), **own, **points_columns(seats)}


def names_by_position(str name, int seats):
    """Return the names of a column of which there is one per position."""
    return [f"{name}_{position}" for position in range(seats)]


def session_columns(int seats):
    """Return all columns of sessions with their types, in order."""
    return {**_SESSION_BEGINS, **bot_columns(seats), "games": "int32", **points_columns(seats)}


KINDS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "float64")   # column types


@cython.final
cdef class Rows:
    """Rows that are still to be written to a table.

    Args:
        table: The table.
        columns: Type of each of its columns by name, in order.

    Raises:
        TypeError: The table has columns of other names, types or order.
        ValueError: A type is none of KINDS.
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
        """Write a row, or keep it until there is room.

        Raises:
            ValueError: A column can't hold its value.
        """
        if self.waiting or self.table.rows == self.table.capacity:
            self.waiting.append(values)
            return 0
        return self.write(values)

    cdef bint catch_up(self) except *:
        """Write the rows that wait, and return false if the table is too small for all.

        Raises:
            ValueError: A column can't hold its value.
        """
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
        """Write a row into the table, which has room for it.

        Raises:
            ValueError: A column can't hold its value.
        """
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
    """Return an exception of the rules, with a hint if they used a question as an answer."""
    if type(failure) in (TypeError, AttributeError) and "Question'" in str(failure):
        hint = f"{failure}; a question isn't an answer: did you forget yield?"
        return type(failure)(hint).with_traceback(failure.__traceback__)
    return failure


@cython.final
cdef class SessionCore(GameCore):
    """One leg by rules in Python.

    Rules see positions, bots have seats, and `seating` draws the seat at each position of a session. An exception of
    the rules ends the leg, and `check` raises it.

    Args:
        games_table: Table of games.
        sessions_table: Table of sessions.
        play_session: Called with a Session; returns the generator that plays it. The generator yields questions, which
            decisions make (`engine.rules.decisions`), is sent legal answers, and records games. Questions in a list
            are asked together, and their answers come as a dict by position: none is known before the last.
        columns: The contest's own columns of games, as `game_columns` takes them.
        deals_key: Key of the chance, 32 bytes; each game has its own chance.
        sessions: Number of sessions.
        steps: Limit of the time between two questions.
        match: Number of the match, as recorded.
        first_session: Number of the first session, as recorded.
        placements: Placement of each of the contest's decisions.
        max_questions: Questions that a game may have over all positions, so that play in which no bot acts ends.
        seats: Number of entrants.
        teams: The positions of each of them, equally many; default one each. Each position has a bot of its own, whose
            number is the entrant's seat times their count, plus its place in the team.
        house_seats: How many entrants are the host's own, those with the highest seats.
        rotation: How far the drawn seating is rotated: legs with the same deals and other rotations swap all bots.
        zero_sum: Whether the points of each game must add up to 0.
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
        int64_t max_questions,
        Steps steps=None,
        match=0,
        first_session=0,
        int seats=2,
        int rotation=0,
        bint zero_sum=True,
        teams=None,
        int house_seats=0,
    ):
        teams = teams or [(position,) for position in range(seats)]
        self.entrants = seats
        self.house_seats = house_seats
        self.members = <int>len(teams[0])
        self.take_seats(seats * self.members)
        self.places = [
            next((team, list(members).index(at)) for team, members in enumerate(teams) if at in members)
            for at in range(self.seats)
        ]
        self.of_points = "positions" if self.members == 1 else "teams"
        self.play_session = play_session
        self.steps = steps
        self.sessions = sessions
        self.match = match
        self.first_session = first_session
        self.rotation = rotation
        self.zero_sum = zero_sum
        self.placements = {placement.decision: placement for placement in placements}
        self.max_questions = max_questions
        self.columns = [(name, per_seat) for name, _, per_seat in columns]
        self.games_table = games_table
        self.sessions_table = sessions_table
        self.games_rows = Rows(games_table, game_columns(seats, columns))
        self.sessions_rows = Rows(sessions_table, session_columns(seats))
        self.rng = Rng(deals_key)
        self.seating_rng = Rng(deals_key)
        self.block = -1
        self.losers = {}
        if seats <= 2:
            self.order = self.rotations = list(range(seats))
        self.sit_down(0)
        self.numbers = [
            teams[self.at.index(seat)][place] for seat in range(seats) for place in range(self.members)
        ]

    cdef int sit_down(self, int64_t session) except -1:
        """Give each bot its position in a session of the leg.

        Two bots alternate. For more bots a cyclic order is drawn for each block of as many sessions as bots, and the
        sequence of its rotations. So each bot has each position once in a complete block.
        """
        cdef int64_t block = session // self.entrants
        cdef int shift
        if self.entrants > 2 and block != self.block:
            self.seating_rng.turn_to(SEATING_STREAMS + <uint64_t>block)
            self.order, self.rotations = list(range(self.entrants)), list(range(self.entrants))
            self.seating_rng.shuffle(self.order)
            self.seating_rng.shuffle(self.rotations)
            self.block = block
        shift = self.rotation + <int>self.rotations[session % self.entrants]
        self.at = tuple([self.order[(position + shift) % self.entrants] for position in range(self.entrants)])
        return 0

    cdef int64_t default_answer(self) noexcept nogil:
        """Return the default answer if it is an integer. Otherwise return 0, and keep it for the next step."""
        with gil:
            if self.asked.decision.is_news:
                return 0
            if self.asked.decision.takes_numbers:
                return self.asked.default
            self.given = self.asked.default
        self.is_given = True    # used by the next step
        return 0

    cdef int64_t read_answer(self, object value) except? -1:
        """Keep a process's answer for the next step.

        Raises:
            ValueError: The answer must be an integer. Those come by `step`.
        """
        if self.asked.decision.takes_numbers:
            raise ValueError("wrote no whole number")
        self.given = value
        self.is_given = True
        return 0

    cdef object meant(self, int64_t answer):
        """Return the asked bot's answer as the rules receive it, or None for news.

        Raises:
            ValueError: The answer isn't legal.
        """
        if self.asked.decision.is_news:
            return None
        if self.is_given:
            return self.asked.checked(self.given)
        if self.sees_memory(self.decision.seat):
            return self.placement.answer_of(self.asked, answer, self.windows[self.decision.seat])
        return self.asked.from_number(answer)

    cdef object answer_value(self, int64_t answer):
        """Return the asked bot's answer for messages: as the rules would receive it, or as it came if it isn't legal.
        """
        if self.is_given:
            return self.given
        try:
            return self.meant(answer)
        except ValueError as wrong:
            return str(wrong) if self.asked.decision.leaves_answers else answer

    cdef bint sees_memory(self, int seat) noexcept nogil:
        """Return whether a seat's views go into its bot's own memory."""
        return self.windows[seat] != self.scratch + seat * MAX_VIEW_BYTES

    cdef Status step(self, int64_t answer) noexcept nogil:
        """Take an answer and play until the next question, and keep any exception for `check`."""
        with gil:
            try:
                return self.play_on(answer)
            except BaseException as failure:
                self.failure = failure
                return LEG_OVER

    cdef Status play_on(self, int64_t answer) except *:
        """Take an answer and play until a bot has a question, a table is full, the answer is refused, or the leg ends.

        An exception of the rules, or one about what they yield or record, passes through.
        """
        if self.is_asking:
            self.took_illegal_answer = False
            try:
                self.reply = self.meant(answer)
            except ValueError:
                if not self.asked.decision.loses:
                    self.refused_value = self.answer_value(answer)
                    self.is_given = False
                    return REFUSED
                self.reply = Illegal(self.answer_value(answer))
                self.took_illegal_answer = True
                self.losers[self.team_at(self.asked.position)] = self.asked.decision.name
            self.is_given = False
            if self.waiting is not None:
                self.replies[self.asked.position] = self.reply
                self.place += 1
                if self.place < <int>len(self.waiting):
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
                    self.current = None     # breaks a cycle of references
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
                if not self.waiting:
                    self.reply = self.replies
                    continue
                self.is_asking = True
                return self.ask_one(0)
            self.waiting = None
            if not self.take(<Question>yielded):
                self.reply = (<Question>yielded).default
                continue
            self.is_asking = True
            self.ask(<Question>yielded)
            return DECIDE

    cdef bint take(self, Question question) except -1:
        """Check that a position can be asked this, and show it to a bot in the worker's memory.

        Errors are raised in the rules, which see a ValueError at their `yield`.

        Returns:
            Whether the bot is asked. A disqualified bot isn't, nor one that ignores this news.

        Raises:
            ValueError: There is no such position or decision, or the game has more questions than its limit.
        """
        cdef int seat
        if not 0 <= question.position < self.seats:
            self.refuse(ValueError(
                f"{question.decision.name} asks position {question.position}; expected 0 to {self.seats - 1}"
            ))
        placement = self.placement_of(question.decision)
        if placement is None:
            self.refuse(ValueError(f"{question.decision.name} is none of the contest's decisions"))
        self.questions_asked += 1
        if self.questions_asked > self.max_questions:
            self.refuse(ValueError(
                f"a game has more than {self.max_questions:,} questions; raise max_questions if such games are meant"
            ))
        seat = self.seat_at(question.position)
        if self.dismissed >> seat & 1:
            return False
        if question.decision.is_news and self.ignored_questions[seat] >> placement.kind & 1:
            return False
        if self.sees_memory(seat):
            placement.show(question, self.windows[seat], self.players)
        return True

    cdef Placement placement_of(self, Decision decision):
        """Return the places of a decision's values, or None if the contest lacks the decision."""
        if self.placement is not None and self.placement.decision is decision:
            return self.placement   # the last one, as it often is
        return self.placements.get(decision)

    cdef int seat_at(self, int position) except -1:
        """Return the number of the bot at a position of the session now played."""
        if self.members == 1:
            return <int>self.at[position]
        team, place = self.places[position]
        return <int>self.at[team] * self.members + <int>place

    cdef int team_at(self, int position) except -1:
        """Return the team of a position, which is its index among the points of a game."""
        return position if self.members == 1 else <int>self.places[position][0]

    cdef int take_list(self, yielded) except -1:
        """Make questions that are asked together the pending ones, in the order of their positions.

        Errors are raised in the rules, which see them at their `yield`.

        Raises:
            TypeError: The rules yield something other than questions.
            ValueError: The list is empty, asks a position twice, or has a question that can't be asked.
        """
        if not isinstance(yielded, (list, tuple)):
            self.refuse(TypeError(f"the rules yield {yielded!r}, which is no question"))
        self.questions = list(yielded)
        if not self.questions:
            self.refuse(ValueError("the rules yield a list without a question"))
        self.replies = {}
        asked = []
        for i, one in enumerate(self.questions):    # all views are written before the first bot answers
            if type(one) is not Question:
                self.refuse(TypeError(f"the rules yield a list with {one!r}, which is no question"))
            if self.take(<Question>one):
                asked.append(((<Question>one).position, i))
            self.replies[(<Question>one).position] = (<Question>one).default
        if len(self.replies) < len(self.questions):
            self.refuse(ValueError("the rules ask a position twice together"))
        asked.sort()
        self.waiting = [i for _, i in asked]
        self.place = 0
        return 0

    cdef Status ask_one(self, int ahead) except *:
        """Make the simultaneous question at this distance from the next one pending."""
        self.ask(<Question>self.questions[self.waiting[self.place + ahead]])
        self.pending_count = <int>len(self.waiting) - self.place
        return DECIDE

    cdef int ask(self, Question question) except -1:
        """Make a question the pending decision."""
        self.asked = question
        self.placement = self.placement_of(question.decision)
        self.decision.kind = self.placement.kind
        self.decision.seat = self.seat_at(question.position)
        self.pending_count = 1
        return 0

    cdef void select_question(self, int ahead) noexcept nogil:
        """Make the simultaneous question at this distance from the next one pending."""
        with gil:
            self.ask_one(ahead)

    cdef int refuse(self, error) except -1:
        """Raise an error at the rules' `yield`, so that the traceback has their line. Rules that catch it fail, too."""
        self.generator.throw(error)
        raise error     # the rules went on

    cdef object take_step(self):
        """Return the next question or list of the rules, or OVER.

        Raises:
            TimeoutError: The step was interrupted, because it took too long or the run is stopping.
            BrokenOff: An earlier step was interrupted.
        """
        if self.steps is None:
            return self.go_on()
        self.steps.begin()
        try:
            return self.go_on()
        finally:
            self.steps.end()

    cdef object go_on(self):
        """Send the reply to the session's generator, and return what it yields, or OVER if it ends."""
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
        """True, because the rules are Python code."""
        return True

    def set_stop_check(self, stopping):
        """Set a function that returns whether the run is stopping. Steps of the rules then end."""
        if self.steps is not None:
            self.steps.stopping = stopping

    cdef int require_lost(self, list points) except -1:
        """Check that positions that answered illegally lose the game that was worth these points.

        Raises:
            ValueError: One has at least the points of all others, or more than one of them.
        """
        kept = [one for position, one in enumerate(points) if position not in self.losers]
        for position, decision in self.losers.items():
            if kept and (points[position] > min(kept) or points[position] >= max(kept)):
                raise ValueError(
                    f"position {position} answered {decision} illegally, which loses the game: it gets fewer points"
                    f" than the others; the rules record {', '.join(map(str, points))}"
                )
        self.losers.clear()
        return 0

    cdef int finish_session(self) except -1:
        """Record the session now played, and go on to the next.

        Raises:
            ValueError: The session has no game, or none that a position with an illegal answer loses.
        """
        if self.game == 0:
            raise ValueError("the rules end a session without a game")
        for position, decision in self.losers.items():
            raise ValueError(
                f"position {position} answered {decision} illegally, and the rules record no game that it loses"
            )
        points = [self.session_points[<int>seat] for seat in self.at]
        self.sessions_rows.add([self.match, self.first_session + self.session, *self.at, self.game, *points])
        self.score_session()
        return 0

    def sums(self):
        """Return a SeatSums for each entrant, of the sessions played so far."""
        return GameCore.sums(self)[: self.entrants]

    def dismiss(self, int seat):
        """Stop asking a bot and its partners."""
        cdef int place
        for place in range(self.members):
            self.dismissed |= <uint64_t>1 << (seat // self.members * self.members + place)

    @property
    def took_illegal(self):
        """True if the last answer was illegal and lost its game."""
        return self.took_illegal_answer

    cdef bytes told(self, bint as_line):
        """Return the pending question encoded: as a line of JSON, or for a message to a Python bot's process."""
        return self.asked.told(as_line, self.players)

    def observed_values(self):
        """Return the pending decision's values by name, with the seating."""
        return self.asked.shown(self.players)

    def refused(self):
        """Return the answer that was refused."""
        return self.refused_value

    def narrowed(self):
        """Return the type that narrows this question's answer, or None."""
        return self.asked.answer

    def check(self):
        """Raise the exception that ended play, if one did: any of the rules', or a TimeoutError of a step."""
        if self.failure is not None:
            raise explained(self.failure)


@cython.final
cdef class Session:
    """A session as its rules see it.

    Bots sit at positions. Position 0 comes first, and who sits where is drawn for each session.

    Attributes:
        number: Number of the session in the leg, from 0.
        seats: Number of positions.
        games: Number of games recorded so far.
        rng: The chance of the game now played. Each recorded game starts another, so that the legs of a duplicate
            match have the same chance, no matter how much they draw.
    """

    def __init__(self, SessionCore core):
        self.core = core
        self.number = core.session
        self.seats = core.seats
        self.rng = core.rng
        core.sit_down(core.session)
        core.players = tuple([core.numbers[core.seat_at(position)] for position in range(core.seats)])
        core.questions_asked = 0
        core.rng.turn_to(<uint64_t>core.session << GAMES_OF_A_SESSION)

    @property
    def random(self):
        """A `random.Random` that draws from the same stream as `rng`, for all that Python's `random` can do."""
        if self.stream_random is None:
            self.stream_random = StreamRandom(self.rng)
        return self.stream_random

    @property
    def house(self):
        """The positions of the host's own bots, in order."""
        cdef SessionCore core = self.core
        cdef int first = (core.entrants - core.house_seats) * core.members
        return tuple([position for position in range(core.seats) if core.seat_at(position) >= first])

    def next_seat(self, int position):
        """Return the position after this one, which is 0 after the last."""
        return (position + 1) % self.seats

    def record(self, points, /, **columns):
        """Record a game.

        Args:
            points: What the game was worth to each position, or to each team, in their order or by number.
            columns: The contest's own columns. A column per position takes as many values, in their order or by number.

        Raises:
            ValueError: The number of points is wrong, or they don't add up to 0 in a zero-sum contest. A position that
                answered illegally doesn't lose. The columns aren't the contest's, or one can't hold its value. The
                session is over.
            TypeError: Points aren't numbers.
        """
        cdef SessionCore core = self.core
        cdef list values, worth
        cdef int position
        if core.current is not self:
            raise ValueError("the session is over")
        try:
            worth = [<double>one + 0.0 for one in in_order(points)]     # -0 becomes 0
        except TypeError as error:
            raise TypeError(f"the rules record points that are no numbers: {error}") from None
        if len(worth) != core.entrants:
            raise ValueError(f"the rules record points of {len(worth)} {core.of_points}; expected {core.entrants}")
        if core.zero_sum:
            if abs(fsum(worth)) > ZERO_SUM_TOLERANCE * sum(map(abs, worth)):
                raise ValueError(f"a game of a zero-sum contest is worth {', '.join(map(str, worth))}")
            if core.entrants == 2:     # standings take the second seat's points from the first one's
                worth[1] = 0.0 - <double>worth[0]
        if core.losers:
            core.require_lost(worth)
        values = [core.match, core.first_session + core.session, self.games, *core.at]
        for name, per_seat in core.columns:
            if name not in columns:
                raise ValueError(f"the rules record no {name}")
            if not per_seat:
                values.append(columns[name])
                continue
            each = in_order(columns[name])
            if len(each) != core.entrants:
                raise ValueError(f"the rules record {name} of {len(each)} {core.of_points}; expected {core.entrants}")
            values += each
        if len(columns) != len(core.columns):
            unknown = sorted(columns.keys() - dict(core.columns).keys())
            raise ValueError(f"the rules record {', '.join(unknown)}, which has no column")
        values += worth
        core.games_rows.add(values)
        for position in range(core.entrants):
            core.session_points[<int>core.at[position]] += <double>worth[position]
        core.games_recorded += 1
        core.game += 1
        core.questions_asked = 0
        self.games += 1
        self.rng.turn_to((<uint64_t>self.number << GAMES_OF_A_SESSION) + self.games)


cdef list in_order(values):
    """Return values in the order of positions, which are the keys of a mapping."""
    if type(values) is list or type(values) is tuple:  # faster than a check for a mapping
        return list(values)
    return [values[position] for position in sorted(values)] if isinstance(values, Mapping) else list(values)


def seating(Session session):
    """Return the seat of the entrant at each position of the session now played: for the package, not for rules."""
    cdef SessionCore core = session.core
    return tuple([core.at[core.team_at(position)] for position in range(core.seats)])
