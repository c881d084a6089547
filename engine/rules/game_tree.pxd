# See game_tree.pyx for details.

cimport cython
from libc.stdint cimport int32_t, int64_t

from engine.rules.decisions cimport Asked, Decision

cdef enum NodeKind:
    CHANCE_NODE
    TURN_NODE
    SIMULTANEOUS_NODE
    OVER_NODE

cdef struct Told:           # what processes are told at a node; its bytes lie behind it
    Told* other             # of the same node
    int player
    bint as_line
    size_t size

cdef struct Node:
    int kind
    int player              # whose turn it is
    int counts[2]           # of the actions: of the mover or of chance; where both move, by player
    int child_count
    int place               # among its parent's children
    bint is_kept
    double returns[2]       # by player, where the game is over
    double total            # of the probabilities
    Node* parent
    Told* told
    # Behind the node, in one piece of memory with it.
    int64_t* actions        # where both move, player 0's and then player 1's
    double* probabilities   # of chance
    # By the action's place, or player 0's · counts[1] + player 1's. NULL where no child is kept.
    Node** children


@cython.final
cdef class GameTree:
    cdef object rules
    cdef readonly Decision decision
    cdef Node* root
    cdef Node** kept
    cdef size_t kept_count
    cdef size_t kept_capacity
    cdef size_t size            # bytes of what is kept
    cdef size_t most_bytes
    cdef int legal_offset       # in a C bot's struct
    cdef int legal_count_offset
    cdef int seat_offset
    cdef int most_actions

    cdef Node* child(self, Node* node, int place, object state) except NULL
    cdef Node* new_node(self, Node* parent, int place, object state) except NULL
    cdef int write_actions(self, Node* node, lists) except -1
    cdef object state_at(self, Node* node)
    cdef Asked question(self, Node* node, int player, int first, object state)
    cdef bytes told(self, Node* node, int player, bint as_line, object state)
    cdef void show(self, const Node* node, int player, unsigned char* window) noexcept nogil


cdef inline const int64_t* actions_of(const Node* node, int player) noexcept nogil:
    """The actions of the player who is asked."""
    return node.actions + (node.counts[0] if node.kind == SIMULTANEOUS_NODE and player else 0)


cdef inline int count_of(const Node* node, int player) noexcept nogil:
    return node.counts[player] if node.kind == SIMULTANEOUS_NODE else node.counts[0]
