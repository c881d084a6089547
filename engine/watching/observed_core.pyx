"""A core that plays another one and writes down what is asked and what is answered.

It takes that core's place, with bots of every kind. So games are seen as a
tournament plays them, at no cost to a tournament.
"""

cimport cython
from libc.stdint cimport int64_t, uintptr_t

from engine.kernel.game_core cimport DECIDE, LEG_OVER, REFUSED, GameCore, Status


@cython.final
cdef class ObservedCore(GameCore):
    """Plays another core, and keeps the decisions of some of its sessions and games.

    It keeps sessions from `first_session` to `last_session`, counted in the leg, and games from `first_game` to
    `last_game`. Once these are played, or the maximum of decisions is kept, the leg is over. Without such sessions it
    only ends the leg there. A step is a tuple (session, game, seat, kind, view, values by name, answer, failed,
    illegal, output). The answer is None if none reached the rules. A default that replaced it has the flag failed, and
    an answer that loses the game the flag illegal. The output is the bot's since its last decision, as bytes.

    A `tape` is called for each kept decision. It gets `asked(session, game, seat, kind, address of the struct, values
    by name)`, then `answered(seat, number, value)` with the returned number and its meaning. At a fault it gets
    `failed(seat)`.
    """
    cdef readonly GameCore core
    cdef object tape
    cdef int64_t first_session
    cdef int64_t last_session
    cdef int64_t first_game
    cdef int64_t last_game
    cdef int64_t most
    cdef list kept
    cdef list listeners         # functions by seat that return the bot's new output
    cdef list before            # output of replaced bots, by seat
    cdef object question        # the pending decision, if it is to be kept: a step up to its answer
    cdef object answered        # answer to it, if one reached the rules
    cdef bint failed
    cdef bint unheard           # there were decisions that are not kept

    def __init__(
        self,
        GameCore core,
        *,
        int64_t first_session,
        int64_t last_session,
        int64_t first_game,
        int64_t last_game,
        int64_t most,
        tape=None,
    ):
        self.core = core
        self.tape = tape
        self.first_session = first_session
        self.last_session = last_session
        self.first_game = first_game
        self.last_game = last_game
        self.most = most
        self.kept = []
        self.listeners = [None] * core.seats
        self.before = [b""] * core.seats
        self.take_seats(core.seats)
        for seat in range(core.seats):
            self.windows[seat] = core.windows[seat]
        self.most_decisions = core.most_decisions
        self.games_table = core.games_table
        self.sessions_table = core.sessions_table
        self.view_size = core.view_size
        self.sessions = core.sessions

    @property
    def steps(self):
        """Return the steps in order. A leg that a bot ended ends with the question that it failed."""
        if self.question is None:
            return list(self.kept)
        seat = self.question[2]
        return [*self.kept, (*self.question, self.answered, True, False, self.heard(seat))]

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef Status status
        with gil:
            if self.question is not None and not self.failed:
                self.answered = self.core.said(answer)      # unless the rules take it
                if self.tape is not None:
                    self.tape.answered(self.question[2], answer, self.answered)
        status = self.core.step(answer)
        if status == REFUSED:
            self.refused_answer = self.core.refused_answer
            return status
        with gil:
            if self.question is not None:
                illegal = not self.failed and self.core.took_illegal
                heard = self.heard(self.question[2])
                self.kept.append((*self.question, self.answered, bool(self.failed), illegal, heard))
            self.question = None
            self.answered = None
            self.failed = False
        self.decision = self.core.decision
        self.pending_count = self.core.pending_count
        self.session = self.core.session
        self.game = self.core.game
        self.games_recorded = self.core.games_recorded
        self.sessions_played = self.core.sessions_played
        if status != DECIDE:
            return status
        if self.session > self.last_session or (self.session == self.last_session and self.game > self.last_game):
            return LEG_OVER
        with gil:
            if <int64_t>len(self.kept) >= self.most:
                return LEG_OVER
            if self.session < self.first_session or not self.first_game <= self.game <= self.last_game:
                self.unheard = True
                return status
            if self.unheard:
                self.unheard = False
                for seat in range(self.seats):
                    self.heard(seat)
            kind, seat, view = self.pending()
            values = dict(self.core.told_values())
            self.question = (self.session, self.game, seat, kind, view, values)
            if self.tape is not None:
                self.tape.asked(self.session, self.game, seat, kind, <uintptr_t>self.windows[seat], values)
        return status

    @property
    def steps_in_python(self):
        """Pass the call on to the observed core."""
        return self.core.steps_in_python

    def heed(self, stopping):
        """Pass the call on to the observed core."""
        self.core.heed(stopping)

    cdef heard(self, int seat):
        """Return the output of the seat's bots, including replaced ones, since the last call."""
        printed = self.before[seat]
        self.before[seat] = b""
        return printed + self.listeners[seat]() if self.listeners[seat] is not None else printed

    cdef int64_t default_answer(self) noexcept nogil:
        return self.core.default_answer()

    cdef void restarted(self, int seat) noexcept nogil:
        self.core.restarted(seat)

    def listen(self, int seat, printed):
        """`printed()` gives what a seat's bot printed since the last call."""
        self.before[seat] = self.heard(seat)
        self.listeners[seat] = printed

    @property
    def observes(self):
        """True if a session is observed."""
        return self.first_session <= self.last_session

    def note_restart(self, int seat):
        """Forget what the bot of a seat did in this leg, because the leg begins again."""
        self.failed = True
        if self.tape is not None:
            self.tape.failed(seat)
        self.restarted(seat)

    def dismiss(self, int seat):
        """Dismiss a bot, and forget what it did in this leg."""
        self.failed = True
        if self.tape is not None:
            self.tape.failed(seat)
        self.core.dismiss(seat)

    def skip_questions(self, int seat, questions):
        """Pass the call on to the observed core."""
        self.core.skip_questions(seat, questions)

    def write_views_to(self, int seat, uintptr_t address):
        """Let both cores write the views of a seat to an address."""
        self.windows[seat] = <unsigned char*>address
        self.core.write_views_to(seat, address)

    cdef void look_at(self, int ahead) noexcept nogil:
        self.core.look_at(ahead)
        self.decision = self.core.decision

    cdef int64_t read_answer(self, object value) except? -1:
        return self.core.read_answer(value)

    def refused(self):
        """Pass the call on to the observed core."""
        return self.core.refused()

    def narrowed(self):
        """Pass the call on to the observed core."""
        return self.core.narrowed()

    cdef bytes told(self, bint as_line):
        return self.core.told(as_line)

    def told_values(self):
        """Pass the call on to the observed core."""
        return self.core.told_values()

    def check(self):
        """Pass the call on to the observed core."""
        self.core.check()

    def sums(self):
        """Pass the call on to the observed core."""
        return self.core.sums()

    def packed_sums(self):
        """Pass the call on to the observed core."""
        return self.core.packed_sums()
