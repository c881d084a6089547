"""A core that plays another core and records its questions and answers.

It replaces that core, with bots of every kind. So games are observed as a tournament plays them, at no cost to a
tournament.
"""

cimport cython
from libc.stdint cimport int64_t, uintptr_t

from engine.kernel.game_core cimport DECIDE, LEG_OVER, REFUSED, GameCore, Status


@cython.final
cdef class ObservedCore(GameCore):
    """Plays another core, and keeps the decisions of some of its sessions and games.

    Once the last game to keep is played, or the maximum of decisions is kept, the leg is over. A kept decision is a
    tuple (session, game, seat, kind, view, values by name, answer, failed, illegal, output). The answer is None if none
    reached the rules. The flag failed means that a default replaced the answer, and the flag illegal that the answer
    lost the game. The output consists of the bytes that the bot printed since its last decision.

    Args:
        core: The core to play.
        first_session: First session to keep, counted in the leg.
        last_session: Last session to keep. If it is below the first one, the leg only ends there, and nothing is kept.
        first_game: First game of a session to keep.
        last_game: Last game of a session to keep.
        most: Maximum number of decisions to keep.
        tape: Called for each kept decision: `record_question(session, game, seat, kind, address of the struct, values
            by name)`, then `answered(seat, number, value)` with the returned number and its meaning, and at a fault
            `failed(seat)`.

    Attributes:
        core: The core that is played.
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
    cdef object question        # the pending decision if it is to be kept: the tuple up to its answer
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
        """Kept decisions in order. If a bot ended the leg, the last one is the decision at which it failed."""
        if self.question is None:
            return list(self.kept)
        seat = self.question[2]
        return [*self.kept, (*self.question, self.answered, True, False, self.heard(seat))]

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef Status status
        with gil:
            if self.question is not None and not self.failed:
                self.answered = self.core.answer_value(answer)      # kept even if the rules refuse it
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
            values = dict(self.core.observed_values())
            self.question = (self.session, self.game, seat, kind, view, values)
            if self.tape is not None:
                self.tape.record_question(self.session, self.game, seat, kind, <uintptr_t>self.windows[seat], values)
        return status

    @property
    def steps_in_python(self):
        """True if the steps of the observed core can take longer than a bot's answers."""
        return self.core.steps_in_python

    def set_stop_check(self, stopping):
        """Pass on to the observed core a function that returns whether the run is stopping."""
        self.core.set_stop_check(stopping)

    cdef heard(self, int seat):
        """Return the output of a seat's bots, including replaced ones, since the last call, as bytes."""
        printed = self.before[seat]
        self.before[seat] = b""
        return printed + self.listeners[seat]() if self.listeners[seat] is not None else printed

    cdef int64_t default_answer(self) noexcept nogil:
        return self.core.default_answer()

    cdef void restarted(self, int seat) noexcept nogil:
        self.core.restarted(seat)

    def set_output_reader(self, int seat, printed):
        """Set the function that returns the output of a seat's bot since its last call.

        Output of a previous bot is kept until it is read.
        """
        self.before[seat] = self.heard(seat)
        self.listeners[seat] = printed

    @property
    def observes(self):
        """True if there is a session to keep."""
        return self.first_session <= self.last_session

    def note_restart(self, int seat):
        """Record that a seat's bot failed at the pending decision and was replaced by a new one."""
        self.failed = True
        if self.tape is not None:
            self.tape.failed(seat)
        self.restarted(seat)

    def dismiss(self, int seat):
        """Record that a seat's bot failed at the pending decision, and ask it no more."""
        self.failed = True
        if self.tape is not None:
            self.tape.failed(seat)
        self.core.dismiss(seat)

    def skip_questions(self, int seat, questions):
        """Have the observed core skip questions that a seat's bot ignores."""
        self.core.skip_questions(seat, questions)

    def write_views_to(self, int seat, uintptr_t address):
        """Have both cores write the views of a seat to an address, which must stay valid."""
        self.windows[seat] = <unsigned char*>address
        self.core.write_views_to(seat, address)

    cdef void select_question(self, int ahead) noexcept nogil:
        self.core.select_question(ahead)
        self.decision = self.core.decision

    cdef int64_t read_answer(self, object value) except? -1:
        return self.core.read_answer(value)

    def refused(self):
        """Return the answer that last broke the rules."""
        return self.core.refused()

    def narrowed(self):
        """Return the type of the pending decision's answers if it is narrower than the interface's, or None."""
        return self.core.narrowed()

    cdef bytes told(self, bint as_line):
        return self.core.told(as_line)

    def observed_values(self):
        """Return the pending decision's values by name, if it has no view."""
        return self.core.observed_values()

    def check(self):
        """Raise the exception that ended the leg and isn't a bot's fault, if there is one."""
        self.core.check()

    def sums(self):
        """Return a SeatSums for each seat, of the sessions played so far."""
        return self.core.sums()

    def packed_sums(self):
        """Return the sums as bytes: for each seat its points, their squares, and its points by block."""
        return self.core.packed_sums()
