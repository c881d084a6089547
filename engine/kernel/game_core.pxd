# See game_core.pyx for details.

from libc.stdint cimport int32_t, int64_t, uint64_t

from engine.kernel.limits cimport MAX_QUESTIONS, MAX_VIEW_BYTES
from engine.kernel.records cimport Table

cdef enum Status:       # a leg's state, with other names in Python
    LEG_OVER
    RECORDS_FULL  # take the rows away, then step on
    DECIDE        # `decision` says who is asked what
    REFUSED       # the answer breaks the rules; `decision` still waits for one

cdef enum Size:
    SEATS = 2         # number in most cores, which need no other memory
    MAX_SEATS = 64
    BLOCKS = 32       # parts of a leg's sessions or games, for the error of its sums

cdef struct Decision:
    int kind                            # number of the contest's question
    int seat                            # number of the asked player, from 0

cdef struct Sums:           # sums of a seat's points over a leg
    double points
    double squared_points
    double blocks[BLOCKS]

cdef struct TwoSeats:       # memory in the core itself, near its other memory
    double[2] session_points
    uint64_t[2] ignored_questions
    unsigned char* windows[2]
    Sums[2] totals
    unsigned char[2 * MAX_VIEW_BYTES] scratch

cdef class GameCore:
    cdef Decision decision
    cdef int pending_count              # questions asked together that wait for answers, `decision` among them
    cdef readonly int seats             # how many bots it asks
    # By seat; they point into `two_seats` or, for more, into `more_seats`.
    cdef unsigned char** windows        # addresses of views: the bot's own memory, or `scratch`
    cdef unsigned char* scratch         # MAX_VIEW_BYTES for each
    cdef Sums* totals
    cdef double* session_points         # points of the current session
    cdef uint64_t* ignored_questions    # questions, as bits, that are not to be asked
    cdef uint64_t dismissed             # seats, as bits, that are no longer asked: their default answers count
    cdef TwoSeats two_seats
    cdef void* more_seats
    cdef int view_size                  # bytes
    cdef int64_t sessions               # number to play
    cdef int64_t session                # number of the current one, from 0
    cdef int64_t game                   # number in the session, from 0
    cdef int64_t refused_answer         # the last one
    cdef readonly int64_t games_recorded
    cdef readonly int64_t sessions_played
    cdef int64_t games_per_session      # 0 if only complete sessions are scored
    cdef int64_t block                  # block of the current game
    cdef int64_t block_end              # the first game after it
    cdef readonly int64_t most_decisions    # limit of a seat's decisions in the leg, 0 if unknown
    # records
    cdef Table games_table
    cdef Table sessions_table
    cdef int64_t match                  # number in the records
    cdef int32_t first_session          # number in the records

    cdef int take_seats(self, int seats) except -1
    cdef void begin_seats(self, int seats) noexcept nogil
    cdef int record_in(
        self, Table games, game_row, Table sessions, session_row, int64_t match, int32_t first_session
    ) except -1

    cdef Status step(self, int64_t answer) noexcept nogil
    cdef void select_question(self, int ahead) noexcept nogil
    cdef object answer_value(self, int64_t answer)
    cdef bytes told(self, bint as_line)
    cdef int64_t read_answer(self, value) except? -1
    cdef int64_t default_answer(self) noexcept nogil
    cdef void restarted(self, int seat) noexcept nogil
    cdef void score_session(self) noexcept nogil


cdef inline void score_game(GameCore core, double points) noexcept nogil:
    """Add points for the game now played, and continue with the next. For legs of one seat and one session."""
    if core.game == core.block_end:    # seldom: a division for every game would cost as much as a deal
        core.block = core.game * BLOCKS // core.games_per_session
        core.block_end = ((core.block + 1) * core.games_per_session + BLOCKS - 1) // BLOCKS
    core.session_points[0] += points
    core.totals[0].blocks[core.block] += points
    core.games_recorded += 1
    core.game += 1


cdef inline bint lacks_room(GameCore core) noexcept nogil:
    """Return whether the tables are full, so that another game, which might end its session, has no row."""
    return (
        core.games_table.rows == core.games_table.capacity
        or core.sessions_table.rows == core.sessions_table.capacity
    )
