# See session_core.pyx for details.

cimport cython
from libc.stdint cimport int64_t

from engine.kernel.chance cimport Rng
from engine.rules.decisions cimport Decision, Question
from engine.rules.placements cimport Placement
from engine.kernel.game_core cimport GameCore, Status
from engine.kernel.records cimport Table
from engine.rules.steps cimport Steps

cdef struct ColumnPlace:    # a column of a table, and what its values are
    char* content
    size_t size             # bytes of a value
    bint is_real
    int64_t low             # bounds of an integer
    int64_t high


@cython.final
cdef class Rows:
    cdef Table table
    cdef list names
    cdef dict places_by_name
    cdef ColumnPlace* places
    cdef list waiting       # rows for which there is no room yet

    cdef int add(self, list values) except -1
    cdef int write(self, list values) except -1
    cdef bint catch_up(self) except *


@cython.final
cdef class SessionCore(GameCore):
    cdef object play_session
    cdef object generator       # generator of the session
    cdef object failure
    cdef bint is_asking
    cdef Steps steps
    cdef Rng rng
    cdef Rows games_rows
    cdef Rows sessions_rows
    cdef dict placements        # the contest's decisions, each with its Placement
    cdef Placement placement    # placement of the pending decision
    cdef int64_t max_questions  # limit of a game
    cdef int64_t questions_asked    # number in the current game
    cdef list columns           # the contest's own: (name, whether there is one per seat)
    cdef list questions         # simultaneous questions, as the rules yielded them
    cdef list waiting           # their indices in that list, by position; None if one is asked alone
    cdef int place              # index of the pending one in `waiting`
    cdef dict replies           # answers, by position
    cdef Question asked
    cdef object given           # answer that is no integer, or the default
    cdef bint is_given
    cdef object refused_value
    cdef bint took_illegal_answer
    cdef dict losers            # decisions that positions answered illegally in this game
    cdef Session current
    cdef object reply           # the answer that the generator waits for, or None
    cdef bint zero_sum
    # The seating.
    cdef readonly int entrants
    cdef int house_seats
    cdef readonly int members       # bots of an entrant
    cdef list places                # (team, place in the team), by position
    cdef readonly str of_points     # what the points of a game are by
    cdef int rotation
    cdef Rng seating_rng
    cdef int64_t block          # number of the block of sessions whose seating is drawn
    cdef list order             # seats in the block's cyclic order
    cdef list rotations         # rotation of that order, for each session of the block
    cdef tuple at               # seat of each team's entrant
    cdef list numbers           # public number of each bot: its position in the first session
    cdef tuple players          # number of each position's bot

    cdef Status play_on(self, int64_t answer) except *
    cdef object meant(self, int64_t answer)
    cdef bint sees_memory(self, int seat) noexcept nogil
    cdef int sit_down(self, int64_t session) except -1
    cdef int seat_at(self, int position) except -1
    cdef int team_at(self, int position) except -1
    cdef bint take(self, Question question) except -1
    cdef Placement placement_of(self, Decision decision)
    cdef int take_list(self, yielded) except -1
    cdef Status ask_one(self, int ahead) except *
    cdef int ask(self, Question question) except -1
    cdef object take_step(self)
    cdef int refuse(self, error) except -1
    cdef int require_lost(self, list points) except -1
    cdef object go_on(self)
    cdef int finish_session(self) except -1


@cython.final
cdef class Session:
    cdef SessionCore core
    cdef readonly int64_t number
    cdef readonly int seats
    cdef readonly int64_t games
    cdef readonly Rng rng
    cdef object stream_random
