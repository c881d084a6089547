"""A core that plays along the tree of a game: one game a session, its chance from our deals.

Nodes met before take no Python; new ones are made by the tree's rules, under the GIL.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free

from engine.kernel.chance cimport Chance
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, Status, lacks_room
from engine.rules.game_tree cimport (
    OVER_NODE,
    SIMULTANEOUS_NODE,
    TURN_NODE,
    GameTree,
    Node,
    actions_of,
    count_of,
)
from engine.kernel.memory cimport grown
from engine.kernel.records cimport Columns, Table, column
from engine.rules.steps cimport Steps

import numpy as np

cdef enum:
    GAMES_OF_A_SESSION = 32     # bits of a stream's number, as rules in Python have them

cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


@cython.final
cdef class TreeCore(GameCore):
    """One leg along `tree`: player 0 sits at x in even sessions and at y in odd ones; `seats_swapped`: the other way.

    Games, records and chance are those of a session of rules in Python that follow the same tree
    (`engine.rules.session_core`). An exception of the tree's rules ends the leg, and `check` raises it.
    """

    def __dealloc__(self):
        self.forget_passed()
        free(self.passed)

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        GameTree tree not None,
        *,
        bytes deals_key,
        int64_t sessions,
        Steps steps=None,
        int32_t match=0,
        int32_t first_session=0,
        bint seats_swapped=False,
    ):
        self.tree = tree
        self.steps = steps
        self.chance = Chance(deals_key)
        self.sessions = sessions
        self.seats_swapped = seats_swapped
        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, first_session)

    cdef int64_t default_answer(self) noexcept nogil:
        return actions_of(self.node, self.player)[0]

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef int place
        if self.is_asking:
            place = self.place_of(answer)
            if place < 0:
                self.refused_answer = answer
                return REFUSED
            self.is_asking = False
            self.actions += 1
            if self.node.kind == SIMULTANEOUS_NODE:
                if self.player == 0:
                    self.chosen = place
                    return self.ask(1)
                place += self.chosen * self.node.counts[1]
            if not self.go(place):
                return LEG_OVER
        while True:
            if self.node == NULL:
                if self.session == self.sessions:
                    return LEG_OVER
                if lacks_room(self):
                    return RECORDS_FULL
                self.first = <int>(self.session & 1) ^ self.seats_swapped
                self.chance.turn_to(<uint64_t>self.session << GAMES_OF_A_SESSION)
                self.actions = 0
                self.node = self.tree.root
            if self.node.kind == TURN_NODE:
                return self.ask(self.node.player)
            if self.node.kind == SIMULTANEOUS_NODE:
                return self.ask(0)
            if self.node.kind == OVER_NODE:
                self.finish_game()
            elif not self.go(self.chance.pick(self.node.probabilities, self.node.counts[0], self.node.total)):
                return LEG_OVER

    cdef int place_of(self, int64_t answer) noexcept nogil:
        """The index of an answer among the asked player's actions, -1 if it is none."""
        cdef const int64_t* actions = actions_of(self.node, self.player)
        cdef int i
        for i in range(count_of(self.node, self.player)):
            if actions[i] == answer:
                return i
        return -1

    cdef Status ask(self, int player) noexcept nogil:
        cdef int seat = player ^ self.first
        self.player = player
        self.is_asking = True
        self.decision.kind = self.tree.decision.kind
        self.decision.seat = seat
        self.decision.argument_count = 0
        if self.windows[seat] != self.scratch[seat]:
            self.tree.show(self.node, player, self.windows[seat])
        return DECIDE

    cdef bint go(self, int place) noexcept nogil:
        """Go on to the node at this place; false when the rules fail."""
        cdef Node* there = self.node.children[place] if self.node.is_kept else NULL
        if there == NULL:
            return self.go_anew(place)
        self.node = there
        return True

    cdef bint go_anew(self, int place) noexcept with gil:
        """Likewise where the node isn't kept."""
        try:
            if self.steps is None:
                self.make_node(place)
                return True
            self.steps.begin()
            try:
                self.make_node(place)
            finally:
                self.steps.end()
        except BaseException as failure:
            self.failure = failure
            return False
        return True

    cdef int make_node(self, int place) except -1:
        cdef Node* there
        if self.state is None or self.state_node != self.node:
            self.state = self.tree.state_at(self.node)
        self.state_node = NULL
        there = self.tree.child(self.node, place, self.state)
        if not there.is_kept:
            if not grown(<void**>&self.passed, &self.passed_capacity, self.passed_count + 1, sizeof(Node*)):
                free(there)
                raise MemoryError
            self.passed[self.passed_count] = there
            self.passed_count += 1
        self.node = self.state_node = there
        return 0

    def heed(self, stopping):
        if self.steps is not None:
            self.steps.stopping = stopping

    cdef void finish_game(self) noexcept nogil:
        """Record the game, which is its session, and go on to the next."""
        cdef int64_t row = self.games_table.rows
        cdef Columns games = self.games_table.columns
        cdef Columns sessions = self.sessions_table.columns
        cdef GameRow* game = <GameRow*>games.content
        cdef SessionRow* session = <SessionRow*>sessions.content
        cdef int32_t number = self.first_session + <int32_t>self.session
        cdef double x = self.node.returns[self.first] + 0.0     # -0 becomes 0
        cdef double y = self.node.returns[1 - self.first] + 0.0
        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = number
        column(games, &game.game)[row] = 0
        column(games, &game.x_is_first)[row] = self.first == 0
        column(games, &game.actions)[row] = self.actions
        column(games, &game.x_points)[row] = x
        column(games, &game.y_points)[row] = y
        self.games_table.rows = row + 1
        row = self.sessions_table.rows
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = number
        column(sessions, &session.games)[row] = 1
        column(sessions, &session.x_points)[row] = x
        column(sessions, &session.y_points)[row] = y
        self.sessions_table.rows = row + 1
        self.games_recorded += 1
        self.session_points[0] = x
        self.session_points[1] = y
        self.score_session()
        self.node = NULL
        self.forget_passed()

    cdef void forget_passed(self) noexcept nogil:
        cdef size_t i
        for i in range(self.passed_count):
            free(self.passed[i])
        self.passed_count = 0
        self.state_node = NULL

    cdef object state_here(self):
        """The game's state at its node, None where it isn't made."""
        return self.state if self.state_node == self.node else None

    cdef bytes told(self, bint as_line):
        return self.tree.told(self.node, self.player, as_line, self.state_here())

    def told_values(self):
        """The pending decision's values by name."""
        return self.tree.question(self.node, self.player, self.first, self.state_here()).plain()

    def check(self):
        if self.failure is not None:
            raise self.failure
