"""A game for two as a tree of its states, made as it is played and kept while there is room.

Making a node asks the rules, in Python; that takes microseconds. Going on from a kept node takes nanoseconds, without
the GIL.
"""

cimport cython
from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from engine.rules.decisions cimport Asked, Decision
from engine.kernel.memory cimport grown

from engine.rules.decisions import LEGAL_ACTIONS

CHANCE = CHANCE_NODE
TURN = TURN_NODE
SIMULTANEOUS = SIMULTANEOUS_NODE
OVER = OVER_NODE
SEAT = "seat"


@cython.final
cdef class GameTree:
    """The tree of a game whose moves all are one `decision`, which tells LEGAL_ACTIONS and the player as SEAT.

    `rules` know its states: `begin()` gives the first one; `describe(state)` is (CHANCE, actions, probabilities),
    (TURN, player, actions), (SIMULTANEOUS, actions of player 0, of player 1) or (OVER, returns by player);
    `advance(state, action)` changes a state, by a pair of actions where both move; `ask(state, player, first)` is the
    decision's question to a player, with player 0 at seat `first`, and tells the same whatever that is. Nodes, and what
    processes are told at them, are kept up to `most_bytes` in all.
    All threads that play share the tree.
    """

    def __init__(self, rules, Decision decision, *, size_t most_bytes):
        cdef int i
        if decision.legal < 0 or SEAT not in decision.names:
            raise ValueError(f"{decision.name} does not tell {LEGAL_ACTIONS} and {SEAT}")
        if self.root != NULL:
            raise ValueError("the tree is made already")
        self.rules = rules
        self.decision = decision
        self.most_bytes = most_bytes
        self.most_actions = decision.places[decision.legal].most
        for i in (decision.legal, decision.names.index(SEAT)):
            if decision.places[i].code != c"i":
                raise ValueError(f"{decision.name} tells {decision.names[i]} as no number of 32 bits")
        self.legal_offset = decision.places[decision.legal].offset
        self.legal_count_offset = decision.places[decision.legal].count_offset
        self.seat_offset = decision.places[decision.names.index(SEAT)].offset
        self.root = self.new_node(NULL, 0, rules.begin())

    def __dealloc__(self):
        cdef size_t i
        cdef Told* told
        for i in range(self.kept_count):
            while self.kept[i].told != NULL:
                told = self.kept[i].told
                self.kept[i].told = told.other
                free(told)
            free(self.kept[i])
        free(self.kept)

    @property
    def nodes(self):
        """How many nodes are kept."""
        return self.kept_count

    cdef Node* child(self, Node* node, int place, object state) except NULL:
        """Make the node at this place; `state` is its parent's and becomes its own.

        The caller owns it unless it is kept. Another thread may have made it meanwhile.
        """
        cdef Node* made
        cdef int64_t one = node.actions[place // node.counts[1] if node.kind == SIMULTANEOUS_NODE else place]
        if node.kind == SIMULTANEOUS_NODE:
            self.rules.advance(state, (one, node.actions[node.counts[0] + place % node.counts[1]]))
        else:
            self.rules.advance(state, one)
        if node.is_kept and node.children[place] != NULL:
            return node.children[place]
        made = self.new_node(node, place, state)
        if made.is_kept:
            if node.children[place] != NULL:    # made while the rules ran; `made` is freed with the tree
                return node.children[place]
            node.children[place] = made
        return made

    cdef Node* new_node(self, Node* parent, int place, object state) except NULL:
        """The node of a state. Raises ValueError for a state that the decision can't ask about."""
        cdef Node* node
        cdef Node shape
        cdef size_t actions, weights, size
        cdef double probability
        cdef int i
        kind, first, *rest = self.rules.describe(state)
        memset(&shape, 0, sizeof(Node))
        shape.kind = kind
        shape.parent = parent
        shape.place = place
        lists = () if kind == OVER_NODE else (first,) if kind == CHANCE_NODE else (
            tuple(rest) if kind == TURN_NODE else (first, *rest)
        )
        for i, legal in enumerate(lists):
            shape.counts[i] = <int>len(legal)
            if shape.counts[i] == 0 or kind != CHANCE_NODE and shape.counts[i] > self.most_actions:
                raise ValueError(
                    f"{self.decision.name} tells {len(legal)} {LEGAL_ACTIONS}; declared are 1 to {self.most_actions}"
                )
        shape.child_count = shape.counts[0] * shape.counts[1] if kind == SIMULTANEOUS_NODE else shape.counts[0]
        actions = shape.counts[0] + shape.counts[1]
        weights = actions if kind == CHANCE_NODE else 0
        size = sizeof(Node) + 8 * (actions + weights + shape.child_count)
        shape.is_kept = parent == NULL or parent.is_kept and self.size + size <= self.most_bytes
        node = <Node*>calloc(1, size)
        if node == NULL:
            raise MemoryError
        node[0] = shape
        node.actions = <int64_t*>(<char*>node + sizeof(Node))
        node.probabilities = <double*>(node.actions + actions)
        node.children = <Node**>(node.probabilities + weights)
        try:
            self.write_actions(node, lists)
            if kind == TURN_NODE:
                node.player = first
            elif kind == OVER_NODE:
                for i in range(2):
                    node.returns[i] = first[i]
                    if not isfinite(node.returns[i]):
                        raise ValueError(f"a game returns {first}, which is no finite number for both")
            elif kind == CHANCE_NODE:
                for i, probability in enumerate(rest[0]):
                    node.probabilities[i] = probability
                    node.total += probability
                if not node.total > 0:
                    raise ValueError("there is nothing to draw from")
            if node.is_kept:
                if not grown(<void**>&self.kept, &self.kept_capacity, self.kept_count + 1, sizeof(Node*)):
                    raise MemoryError
                self.kept[self.kept_count] = node
                self.kept_count += 1
                self.size += size
        except BaseException:
            free(node)
            raise
        return node

    cdef int write_actions(self, Node* node, lists) except -1:
        """Write down the actions. Raises ValueError for one that the decision doesn't declare."""
        cdef int64_t* end = node.actions
        for legal in lists:
            for action in legal:
                end[0] = action
                if node.kind != CHANCE_NODE and not self.decision.low <= end[0] <= self.decision.high:
                    raise ValueError(f"{action} is no action that {self.decision.name} declares")
                end += 1
        return 0

    cdef object state_at(self, Node* node):
        """A new state at a node, made by playing from the beginning."""
        cdef list way = []
        cdef Node* here = node
        while here.parent != NULL:
            way.append(<size_t>here)
            here = here.parent
        state = self.rules.begin()
        for step in reversed(way):
            here = <Node*><size_t>step
            if here.parent.kind == SIMULTANEOUS_NODE:
                action = (
                    here.parent.actions[here.place // here.parent.counts[1]],
                    here.parent.actions[here.parent.counts[0] + here.place % here.parent.counts[1]],
                )
            else:
                action = here.parent.actions[here.place]
            self.rules.advance(state, action)
        return state

    cdef Asked question(self, Node* node, int player, int first, object state):
        """The question that is put to a player; `state`: the node's, or None."""
        return self.rules.ask(self.state_at(node) if state is None else state, player, first)

    cdef bytes told(self, Node* node, int player, bint as_line, object state):
        """What a process is told of it (`engine.rules.decisions`)."""
        cdef Told* told = node.told
        cdef bytes content
        while told != NULL:
            if told.player == player and told.as_line == as_line:
                return (<char*>(told + 1))[:told.size]
            told = told.other
        content = self.question(node, player, 0, state).told(as_line)
        if node.is_kept and self.size + sizeof(Told) + len(content) <= self.most_bytes:
            told = <Told*>malloc(sizeof(Told) + len(content))
            if told == NULL:
                raise MemoryError
            told[0] = Told(node.told, player, as_line, len(content))
            memcpy(told + 1, <const char*>content, len(content))
            node.told = told
            self.size += sizeof(Told) + len(content)
        return content

    cdef void show(self, const Node* node, int player, unsigned char* window) noexcept nogil:
        """Write a player's question into a C bot's struct."""
        cdef const int64_t* actions = actions_of(node, player)
        cdef int count = count_of(node, player)
        cdef int32_t* target = <int32_t*>(window + self.legal_offset)
        cdef int i
        (<int32_t*>(window + self.legal_count_offset))[0] = count
        for i in range(count):
            target[i] = <int32_t>actions[i]
        (<int32_t*>(window + self.seat_offset))[0] = player
