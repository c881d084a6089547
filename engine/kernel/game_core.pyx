"""The base of all contests' games: a game as a state machine that asks.

A core plays one leg. `step` takes the answer to the pending decision, plays on to the next one and returns its need.
That is an answer (`DECIDE`), another answer because this one breaks the rules (`REFUSED`), room for records
(`RECORDS_FULL`) or nothing more (`LEG_OVER`). It never calls a bot, so all kinds of bots, and one leg or many legs in
lockstep, can use it. Some questions are only news, whose answers are ignored. A core omits those that a seat ignores.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free

from engine.kernel.sums import SeatSums

SEAT_LIMIT = MAX_SEATS
BLOCK_COUNT = BLOCKS
VIEW_LIMIT = MAX_VIEW_BYTES
QUESTION_LIMIT = MAX_QUESTIONS      # kinds of questions in a contest

# What play() and Referee.play() return.
LEG_IS_OVER = LEG_OVER
RECORDS_ARE_FULL = RECORDS_FULL
ANSWER_WANTED = DECIDE
FAULT = REFUSED


cdef class GameCore:
    """Base class of the contests' cores. A subclass implements `step` and `default_answer`."""

    def __cinit__(self):
        self.session_points = self.two_seats.session_points
        self.ignored_questions = self.two_seats.ignored_questions
        self.windows = self.two_seats.windows
        self.totals = self.two_seats.totals
        self.scratch = self.two_seats.scratch
        self.begin_seats(SEATS)

    def __dealloc__(self):
        free(self.more_seats)

    cdef int take_seats(self, int seats) except -1:
        """Allocate memory for a number of players, before the core is used. Without a call there are two.

        Raises:
            ValueError: A core can't have as many seats.
            MemoryError: There is no memory for them.
        """
        cdef char* room
        if not 1 <= seats <= MAX_SEATS:
            raise ValueError(f"a core has 1 to {int(MAX_SEATS)} seats, not {seats}")
        if seats > SEATS:
            room = <char*>calloc(seats, sizeof(TwoSeats) // SEATS)
            if room == NULL:
                raise MemoryError
            free(self.more_seats)
            self.more_seats = room
            self.session_points = <double*>room
            self.ignored_questions = <uint64_t*>(self.session_points + seats)
            self.windows = <unsigned char**>(self.ignored_questions + seats)
            self.totals = <Sums*>(self.windows + seats)
            self.scratch = <unsigned char*>(self.totals + seats)
        self.begin_seats(seats)
        return 0

    cdef void begin_seats(self, int seats) noexcept nogil:
        """Set the number of seats, and let views be written into `scratch`."""
        cdef int seat
        self.seats = seats
        for seat in range(seats):
            self.windows[seat] = self.scratch + seat * MAX_VIEW_BYTES

    cdef int record_in(
        self, Table games, game_row, Table sessions, session_row, int64_t match, int32_t first_session
    ) except -1:
        """Store the tables to write to, and the match and first session of their rows.

        Raises:
            TypeError: A table has other rows than the core writes.
        """
        games.expect(game_row)
        sessions.expect(session_row)
        self.games_table = games
        self.sessions_table = sessions
        self.match = match
        self.first_session = first_session
        return 0

    cdef Status step(self, int64_t answer) noexcept nogil:
        """Take the answer to the pending decision, play on to the next one, and return what the core needs."""
        return LEG_OVER

    cdef void select_question(self, int ahead) noexcept nogil:
        """Make one of the questions that are asked together the current `decision`. The next one has number 0."""
        pass

    cdef object answer_value(self, int64_t answer):
        """Return the bot's answer that this number stands for."""
        return answer

    cdef bytes told(self, bint as_line):
        """Return the pending decision's values, as a line or for messages, if the interface `tells_values`."""
        return b""

    cdef int64_t read_answer(self, value) except? -1:
        """Return the number for `step` of an answer that isn't an integer, as JSON has it.

        Raises:
            ValueError: It is no answer to the pending decision. The message describes what the bot did.
        """
        raise ValueError("wrote no whole number")

    cdef int64_t default_answer(self) noexcept nogil:
        """Return the answer that counts when the asked bot is at fault."""
        return 0

    cdef void restarted(self, int seat) noexcept nogil:
        """Handle a new bot at the seat, which doesn't know what the previous one observed."""
        pass

    cdef void score_session(self) noexcept nogil:
        """Add the points of the session now played to the leg's sums, and continue with the next."""
        cdef int seat
        cdef double points
        for seat in range(self.seats):
            points = self.session_points[seat]
            self.totals[seat].points += points
            self.totals[seat].squared_points += points * points
            if self.games_per_session == 0:
                self.totals[seat].blocks[self.session * BLOCKS // self.sessions] += points
            self.session_points[seat] = 0
        self.sessions_played += 1
        self.session += 1
        self.game = 0
        self.block_end = 0

    def sums(self):
        """Return a SeatSums for each seat, of the sessions played so far."""
        cdef int seat, block
        return tuple([
            SeatSums(
                self.totals[seat].points,
                self.totals[seat].squared_points,
                tuple([self.totals[seat].blocks[block] for block in range(BLOCKS)]),
            )
            for seat in range(self.seats)
        ])

    def packed_sums(self):
        """Return the sums as doubles in bytes: for each seat its points, the sessions' squares, and points by block."""
        return PyBytes_FromStringAndSize(<char*>self.totals, self.seats * sizeof(Sums))

    def play(self, int64_t answer=0):
        """Answer the pending decision and play on to the next: ANSWER_WANTED, RECORDS_ARE_FULL or LEG_IS_OVER.

        FAULT means that the answer breaks the rules, and the decision still waits for one.
        The answer is ignored at the start of a leg and after RECORDS_ARE_FULL.
        """
        cdef Status status
        with nogil:
            status = self.step(answer)
        return status

    def set_stop_check(self, stopping):
        """Store a function that returns whether the run is stopping. If it is, it ends steps of rules in Python."""
        pass

    @property
    def took_illegal(self):
        """True if the last answer was illegal, and loses the game instead of being a fault."""
        return False

    @property
    def steps_in_python(self):
        """True if its steps can take longer than a bot's answers."""
        return False

    def default(self):
        """Return the contest's default answer to the pending decision."""
        return self.default_answer()

    def refused(self):
        """Return the answer that last broke the rules."""
        return self.refused_answer

    def note_restart(self, int seat):
        """Record that a seat has a new bot, which might need an introduction before the next question."""
        self.restarted(seat)

    def dismiss(self, int seat):
        """Stop asking a seat. Its default answers count to the end, for cores of more than two seats."""
        self.dismissed |= <uint64_t>1 << seat

    def set_output_reader(self, int seat, printed):
        """Store a function that returns what a seat's bot printed since its last call. Cores that `observe` use it."""
        pass

    @property
    def observes(self):
        """True if it keeps questions, answers and output of bots."""
        return False

    def skip_questions(self, int seat, questions):
        """Set the questions, by their numbers, that a seat isn't asked, because they only give news that it ignores."""
        self.ignored_questions[seat] = 0
        for question in questions:
            self.ignored_questions[seat] |= <uint64_t>1 << question

    def narrowed(self):
        """Return the type of the pending decision's answers, or None if it isn't narrower than the interface's."""
        return None

    def write_views_to(self, int seat, uintptr_t address):
        """Write a seat's views to an address from now on. It must stay valid while the core plays."""
        self.windows[seat] = <unsigned char*>address

    def observed_values(self):
        """Return the pending decision's values by name, if it has no view."""
        return {}

    def check(self):
        """Raise the exception of the rules that ended the leg, if there is one. Only rules in Python raise any."""

    def position(self):
        """Return the session in the leg and the game in the session that are being played, from 0."""
        return self.session, self.game

    def pending(self):
        """Return the pending decision: the number of its question, the asked seat, and the seat's view as bytes."""
        return self.decision.kind, self.decision.seat, self.windows[self.decision.seat][:self.view_size]
