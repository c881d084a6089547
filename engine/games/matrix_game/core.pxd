# See core.pyx for details.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from engine.kernel.deals cimport Stream
from engine.kernel.game_core cimport GameCore, Status

cdef enum Phase:
    BETWEEN_TURNS
    X_DECIDES
    Y_DECIDES
    CATCHING_UP

cdef struct View:               # what a bot is shown; in its own memory both histories follow, a byte a move
    int32_t turn
    int32_t turns_per_game
    int32_t moves
    int32_t role
    int32_t my_previous_move
    int32_t opponents_previous_move

cdef struct GameRow:
    int64_t match
    int32_t session
    int32_t game
    int32_t turn
    uint8_t move_0
    uint8_t move_1
    uint8_t move_replaced_0
    uint8_t move_replaced_1

cdef struct SessionRow:
    int64_t match
    int32_t session
    int32_t games
    uint8_t seat_0_is_row
    double points_0
    double points_1


@cython.final
cdef class MatrixGame(GameCore):
    cdef Phase phase
    cdef list move_names
    cdef int moves
    cdef int row_seat                   # seat of the row player
    cdef int64_t turns_per_game
    cdef int32_t turns_told
    cdef int64_t turn                   # number in the current game, from 0
    cdef int64_t games_to_play          # number in a session
    cdef int64_t games_begun            # number in the session
    cdef int chosen[2]                  # moves of this turn, by seat
    cdef int previous[2]                # moves of the previous turn, -1 in the first
    cdef bint in_its_memory[2]          # whether the seat's bot has the histories in its own memory
    cdef bint forgot[2]                 # whether the seat's bot is a new one in the middle of a game
    cdef double* payoffs[2]             # payoffs of row and column, by the row's move, then the column's
    cdef uint8_t* history[2]            # moves as played in this game, by seat
    cdef Stream chance                  # stream of the current session
    cdef bint has_chance
    cdef uint64_t noise                 # the chance, times 2^32
    cdef uint64_t end                   # end probability in the same unit
    cdef int64_t told                   # turns that a restarted bot has received

    cdef int make_room(self, int64_t turns_per_game) except -1
    cdef Status ask(self, int seat) noexcept nogil
    cdef Status catch_up(self, int seat) noexcept nogil
    cdef void show(self, int seat, int64_t turn, int own, int other) noexcept nogil
    cdef inline void write_history(self, int seat) noexcept nogil
    cdef void finish_turn(self) noexcept nogil
    cdef bint slips(self, int seat) noexcept nogil
    cdef inline uint64_t chance_word(self, int purpose) noexcept nogil
    cdef void finish_session(self) noexcept nogil
