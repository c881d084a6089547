"""Repeated matrix games: two players choose a move each at the same time, and a table has their payoffs.

The rules are those of docs/reference/matrix_game.md. A turn is one game: a row of the records. A bot in the worker's
memory has both histories written into its own, a byte a turn. A process receives the previous turn, and all earlier
ones after a restart.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from engine.kernel.deals cimport Key, read_key, start_stream, stream_word
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, lacks_room
from engine.kernel.records cimport Columns, Table, column

import numpy as np

BOT_BYTES = sizeof(View) + 2 * MOST_TURNS

cpdef enum:
    MOST_TURNS = 100_000     # turns of a game; a bot's memory has as many bytes for each history
    MAX_MOVES = 64

cdef enum:
    QUESTION_MOVE = 0
    QUESTION_PAST = 1

# Uses of a turn's random words.
cdef enum:
    X_SLIPS = 0
    Y_SLIPS = 1
    ENDS = 2
    WORDS_OF_A_TURN = 4

cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


@cython.final
cdef class MatrixGame(GameCore):
    """One leg between the bots at seats x (0) and y (1).

    Bots see `turns_per_game` unless a game can end sooner. Question 0 asks for a move, and processes can answer with
    its name. Question 1 shows a restarted bot an earlier turn. A move that doesn't exist is refused.

    Args:
        games_table: Receives a row for each turn.
        sessions_table: Receives a row for each session.
        deals_key: Key of the replaced moves and of the ends of games, 32 bytes.
        sessions: Number of sessions.
        row_payoffs: Payoffs of the row player: a list for each of its moves with a number for each of the other's.
        column_payoffs: Payoffs of the column player, by the row player's move and its own.
        turns_per_game: Maximum turns of a game.
        games_per_session: Number of games of a session.
        noise: Probability that a move is replaced by another one.
        end_probability: Probability that a game ends after a turn.
        match: Number of the match, for all rows.
        first_session: Number of the first session, for the rows.
        seats_swapped: Whether y is the row player.
        move_names: Names of the moves.

    Raises:
        ValueError: A number is out of bounds, payoffs have another shape, the key has another length, or a table has
            other columns.
        MemoryError: There isn't enough memory.
    """

    def __dealloc__(self):
        free(self.history[0])
        free(self.payoffs[0])

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        bytes deals_key,
        int64_t sessions,
        row_payoffs,
        column_payoffs,
        int64_t turns_per_game,
        int64_t games_per_session=1,
        double noise=0.0,
        double end_probability=0.0,
        int64_t match=0,
        int32_t first_session=0,
        bint seats_swapped=False,
        move_names=(),
    ):
        cdef Key key
        cdef int role, row
        if not 1 <= turns_per_game <= MOST_TURNS:
            raise ValueError(f"a game has 1 to {MOST_TURNS} turns")
        if not (0 <= noise <= 1 and 0 <= end_probability <= 1):
            raise ValueError("a chance is 0 to 1")
        self.moves = <int>len(row_payoffs)
        self.move_names = list(move_names)
        if not 2 <= self.moves <= MAX_MOVES:
            raise ValueError(f"a game has 2 to {MAX_MOVES} moves")
        self.make_room(turns_per_game)
        for role, table in enumerate((row_payoffs, column_payoffs)):
            if len(table) != self.moves or any([len(paid) != self.moves for paid in table]):
                raise ValueError("payoffs are a row of as many numbers as there are moves for each of them")
            for row in range(self.moves):
                for column_move in range(self.moves):
                    self.payoffs[role][row * self.moves + <int>column_move] = table[row][column_move]
        read_key(&key, deals_key)
        start_stream(&self.chance, &key, 0)
        self.sessions = sessions
        self.turns_per_game = turns_per_game
        self.games_to_play = games_per_session
        self.turns_told = -1 if end_probability > 0 else <int32_t>turns_per_game
        self.noise = <uint64_t>(noise * 4294967296.0 + 0.5)
        self.end = <uint64_t>(end_probability * 4294967296.0 + 0.5)
        self.has_chance = self.noise > 0 or self.end > 0
        self.row_seat = seats_swapped
        self.view_size = sizeof(View)
        self.most_decisions = turns_per_game * games_per_session * sessions
        self.phase = BETWEEN_TURNS
        self.previous[0] = self.previous[1] = -1
        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, first_session)

    cdef int make_room(self, int64_t turns_per_game) except -1:
        """Allocate memory for the payoffs, and for the moves of a game.

        Raises:
            MemoryError: There isn't enough memory.
        """
        free(self.history[0])
        free(self.payoffs[0])
        self.history[0] = <uint8_t*>calloc(2, turns_per_game)
        self.payoffs[0] = <double*>calloc(2 * self.moves * self.moves, sizeof(double))
        if self.history[0] == NULL or self.payoffs[0] == NULL:
            raise MemoryError
        self.history[1] = self.history[0] + turns_per_game
        self.payoffs[1] = self.payoffs[0] + self.moves * self.moves
        return 0

    def write_views_to(self, int seat, uintptr_t address):
        """Write a seat's views to an address. There must be space for both histories after the view."""
        GameCore.write_views_to(self, seat, address)
        self.in_its_memory[seat] = True

    cdef int64_t default_answer(self) noexcept nogil:
        return 0    # the first move

    cdef void restarted(self, int seat) noexcept nogil:
        self.forgot[seat] = True

    cdef Status step(self, int64_t answer) noexcept nogil:
        if self.phase == X_DECIDES:
            if not 0 <= answer < self.moves:
                self.refused_answer = answer
                return REFUSED
            self.chosen[0] = <int>answer
            return self.ask(1)
        if self.phase == Y_DECIDES:
            if not 0 <= answer < self.moves:
                self.refused_answer = answer
                return REFUSED
            self.chosen[1] = <int>answer
            self.finish_turn()
        elif self.phase == CATCHING_UP:
            return self.catch_up(self.decision.seat)
        self.phase = BETWEEN_TURNS
        if self.session == self.sessions:
            return LEG_OVER
        if lacks_room(self):
            return RECORDS_FULL
        if self.has_chance and self.game == 0:
            start_stream(&self.chance, &self.chance.key, <uint64_t>self.session)
        return self.ask(0)

    cdef Status ask(self, int seat) noexcept nogil:
        """Ask a seat for its move. y sees no more than x: the turns before this one."""
        if self.forgot[seat]:
            self.told = 0
            return self.catch_up(seat)
        if self.in_its_memory[seat] and self.turn > 0:
            self.write_history(seat)
        self.show(seat, self.turn, self.previous[seat], self.previous[1 - seat])
        self.decision.kind = QUESTION_MOVE
        self.decision.seat = seat
        self.phase = Y_DECIDES if seat else X_DECIDES
        self.pending_count = 1 if seat or self.forgot[1] else 2
        return DECIDE

    cdef void select_question(self, int ahead) noexcept nogil:
        self.show(ahead, self.turn, self.previous[ahead], self.previous[1 - ahead])
        self.decision.seat = ahead

    cdef int64_t read_answer(self, value) except? -1:
        """Return a move by its name.

        Raises:
            ValueError: The answer is neither a name nor an integer.
        """
        if not isinstance(value, str) or value not in self.move_names:
            return GameCore.read_answer(self, value)
        return self.move_names.index(value)

    cdef void show(self, int seat, int64_t turn, int own, int other) noexcept nogil:
        cdef View* view = <View*>self.windows[seat]
        view.turn = <int32_t>turn
        view.turns_per_game = self.turns_told
        view.moves = self.moves
        view.role = seat ^ self.row_seat
        view.my_previous_move = own
        view.opponents_previous_move = other

    cdef inline void write_history(self, int seat) noexcept nogil:
        """Add the previous turn to the histories in a bot's own memory."""
        cdef unsigned char* own = self.windows[seat] + sizeof(View) + self.turn - 1
        own[0] = <unsigned char>self.previous[seat]
        (own + MOST_TURNS)[0] = <unsigned char>self.previous[1 - seat]

    cdef Status catch_up(self, int seat) noexcept nogil:
        """Show a restarted bot this game's turns, then ask for its move."""
        cdef unsigned char* own = self.windows[seat] + sizeof(View)
        if self.phase == CATCHING_UP and self.forgot[seat]:     # the bot failed again
            self.told = 0
        self.forgot[seat] = False
        if self.in_its_memory[seat]:
            memcpy(own, self.history[seat], self.turn)
            memcpy(own + MOST_TURNS, self.history[1 - seat], self.turn)
        elif self.told + 1 < self.turn:     # the question itself shows the last turn
            self.told += 1
            self.show(seat, self.told, self.history[seat][self.told - 1], self.history[1 - seat][self.told - 1])
            self.decision.kind = QUESTION_PAST
            self.decision.seat = seat
            self.pending_count = 1
            self.phase = CATCHING_UP
            return DECIDE
        return self.ask(seat)

    cdef void finish_turn(self) noexcept nogil:
        """Add the payoffs, record the turn, and continue with the next turn, game or session."""
        cdef int64_t row = self.games_table.rows
        cdef Columns games = self.games_table.columns
        cdef GameRow* game = <GameRow*>games.content
        cdef bint move_replaced_0 = False
        cdef bint move_replaced_1 = False
        cdef bint is_over
        cdef int place
        if self.noise:
            move_replaced_0 = self.slips(0)
            move_replaced_1 = self.slips(1)
        place = self.chosen[self.row_seat] * self.moves + self.chosen[1 - self.row_seat]
        self.session_points[0] += self.payoffs[self.row_seat][place]
        self.session_points[1] += self.payoffs[1 - self.row_seat][place]

        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = self.first_session + <int32_t>self.session
        column(games, &game.game)[row] = <int32_t>self.game
        column(games, &game.turn)[row] = <int32_t>self.turn
        column(games, &game.move_0)[row] = <uint8_t>self.chosen[0]
        column(games, &game.move_1)[row] = <uint8_t>self.chosen[1]
        column(games, &game.move_replaced_0)[row] = move_replaced_0
        column(games, &game.move_replaced_1)[row] = move_replaced_1
        self.games_table.rows = row + 1

        self.history[0][self.turn] = <uint8_t>self.chosen[0]
        self.history[1][self.turn] = <uint8_t>self.chosen[1]
        self.previous[0] = self.chosen[0]
        self.previous[1] = self.chosen[1]
        is_over = self.turn + 1 == self.turns_per_game
        if self.end and not is_over:
            is_over = self.chance_word(ENDS) >> 32 < self.end
        self.games_recorded += 1
        self.game += 1
        self.turn += 1
        if is_over:
            self.turn = 0
            self.previous[0] = self.previous[1] = -1
            self.games_begun += 1
            if self.games_begun == self.games_to_play:
                self.finish_session()

    cdef bint slips(self, int seat) noexcept nogil:
        """Replace a seat's move by another one with the probability `noise`, and return whether it was replaced.

        All other moves are equally likely.
        """
        cdef uint64_t word = self.chance_word(X_SLIPS + seat)
        cdef int other
        if word >> 32 >= self.noise:
            return False
        other = <int>((<uint64_t><uint32_t>word * <uint64_t>(self.moves - 1)) >> 32)
        self.chosen[seat] = other + (other >= self.chosen[seat])
        return True

    cdef inline uint64_t chance_word(self, int purpose) noexcept nogil:
        return stream_word(&self.chance, <uint64_t>(WORDS_OF_A_TURN * self.game + purpose))

    cdef void finish_session(self) noexcept nogil:
        cdef int64_t row = self.sessions_table.rows
        cdef Columns sessions = self.sessions_table.columns
        cdef SessionRow* session = <SessionRow*>sessions.content
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = self.first_session + <int32_t>self.session
        column(sessions, &session.games)[row] = <int32_t>self.game
        column(sessions, &session.seat_0_is_row)[row] = self.row_seat == 0
        column(sessions, &session.points_0)[row] = self.session_points[0]
        column(sessions, &session.points_1)[row] = self.session_points[1]
        self.sessions_table.rows = row + 1
        self.score_session()
        self.games_begun = 0
