# See tree_core.pyx for details.

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t

from engine.kernel.chance cimport Chance
from engine.kernel.game_core cimport GameCore, Status
from engine.rules.game_tree cimport GameTree, Node
from engine.rules.steps cimport Steps

cdef struct GameRow:
    int32_t match
    int32_t session
    int32_t game
    uint8_t x_is_first
    int32_t actions
    double x_points
    double y_points

cdef struct SessionRow:
    int32_t match
    int32_t session
    int32_t games
    double x_points
    double y_points


@cython.final
cdef class TreeCore(GameCore):
    cdef GameTree tree
    cdef Steps steps
    cdef Chance chance
    cdef Node* node             # where the game is; NULL between games
    cdef Node** passed          # nodes of this game that are not kept
    cdef size_t passed_count
    cdef size_t passed_capacity
    cdef object state           # of the node where nodes were last made, or None
    cdef Node* state_node
    cdef bint is_asking
    cdef int player             # who is asked
    cdef int first              # the seat of player 0
    cdef bint seats_swapped
    cdef int chosen             # by player 0, where both move
    cdef int32_t actions        # of the game
    cdef readonly object failure

    cdef int place_of(self, int64_t answer) noexcept nogil
    cdef bint go(self, int place) noexcept nogil
    cdef bint go_anew(self, int place) noexcept with gil
    cdef int make_node(self, int place) except -1
    cdef Status ask(self, int player) noexcept nogil
    cdef object state_here(self)
    cdef void finish_game(self) noexcept nogil
    cdef void forget_passed(self) noexcept nogil
