# See game_core.pyx for details.

from libc.stdint cimport int32_t, int64_t, uint64_t

from engine.kernel.limits cimport MOST_ARGUMENTS, MOST_VIEW_BYTES
from engine.kernel.records cimport Table

cdef enum Status:       # of a leg; Python has other names for them
    LEG_OVER
    RECORDS_FULL  # take the rows away, then step on
    DECIDE        # `decision` says who is asked what
    REFUSED       # the answer breaks the rules; `decision` still waits for one

cdef enum Size:
    SEATS = 2
    BLOCKS = 32       # of a leg's sessions, or of its games, for the error of its sums

cdef struct Decision:
    int kind                            # which of the contest's questions
    int seat                            # who is asked: 0 is x, 1 is y
    int argument_count
    int64_t arguments[MOST_ARGUMENTS]   # as the contest's interface lists them

cdef struct Sums:           # of a seat's points over a leg
    double points
    double squared_points
    double blocks[BLOCKS]

cdef class GameCore:
    cdef Decision decision
    cdef unsigned char* windows[SEATS]  # where a seat's view is written: the bot's own memory, or `scratch`
    cdef unsigned char scratch[SEATS][MOST_VIEW_BYTES]
    cdef int view_size                  # bytes
    cdef int64_t sessions               # to play
    cdef int64_t session                # now played, from 0
    cdef int64_t game                   # of the session, from 0
    cdef int64_t refused_answer         # the last one
    cdef readonly int64_t games_recorded
    cdef readonly int64_t sessions_played
    cdef Sums totals[SEATS]
    cdef double session_points[SEATS]   # of the session now played
    cdef int64_t games_per_session      # where games are scored; 0 where whole sessions are
    cdef int64_t block                  # of the game now played
    cdef int64_t block_end              # the first game after it
    cdef readonly int64_t most_decisions    # that a seat can be asked for in the leg; 0 if unknown
    cdef uint64_t ignored_questions[SEATS]        # questions, as bits, that are not to be asked
    # records
    cdef Table games_table
    cdef Table sessions_table
    cdef int32_t match                  # as recorded
    cdef int32_t first_session          # as recorded

    cdef int record_in(
        self, Table games, game_row, Table sessions, session_row, int32_t match, int32_t first_session
    ) except -1

    cdef Status step(self, int64_t answer) noexcept nogil
    cdef bytes told(self, bint as_line)
    cdef int64_t read_answer(self, value) except? -1
    cdef int64_t default_answer(self) noexcept nogil
    cdef void restarted(self, int seat) noexcept nogil
    cdef void prefetch(self) noexcept nogil
    cdef void score_session(self) noexcept nogil
    cdef Status ask_x(self, int kind, arguments) except *


cdef inline void score_game(GameCore core, const double* points) noexcept nogil:
    """Add each seat's points for the game now played, and go on to the next. For legs of one session."""
    cdef int seat
    if core.game == core.block_end:    # seldom: a division for every game would cost as much as a deal
        core.block = core.game * BLOCKS // core.games_per_session
        core.block_end = ((core.block + 1) * core.games_per_session + BLOCKS - 1) // BLOCKS
    for seat in range(SEATS):
        core.session_points[seat] += points[seat]
        core.totals[seat].blocks[core.block] += points[seat]
    core.games_recorded += 1
    core.game += 1


cdef inline bint lacks_room(GameCore core) noexcept nogil:
    """Whether there is no room for the rows of another game, which may end its session."""
    return (
        core.games_table.rows == core.games_table.capacity
        or core.sessions_table.rows == core.sessions_table.capacity
    )
