"""One-card von Neumann poker: bankroll sessions, alternating roles, m/√g points.

The rules are those of the King-of-the-Hill contest of 2020, as docs/reference/von_neumann_poker.md reads them.
"""

cimport cython
from libc.math cimport sqrt

from engine.kernel.deals cimport BLOCK_WORDS, LANES, make_blocks, read_key
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, lacks_room
from engine.kernel.records cimport Columns, Table, column

import numpy as np

STACK = 100
ANTE = 10
BET_LIMIT = 50
GAMES_PER_SESSION = 50

cdef enum:
    C_STACK = 100
    C_ANTE = 10
    C_BET_LIMIT = 50
    C_GAMES_PER_SESSION = 50

cdef enum:
    QUESTION_A = 0
    QUESTION_B = 1

cdef extern from *:
    """
    #define CARD_UNIT (1.0f / 16777216.0f)
    """
    const float CARD_UNIT    # 2^-24: cards are exact in a float

cdef double ROOTS[C_GAMES_PER_SESSION + 1]
for _games in range(C_GAMES_PER_SESSION + 1):
    ROOTS[_games] = sqrt(_games)

cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


@cython.final
cdef class VonNeumannPoker(GameCore):
    """One leg between the bots at seats x (0) and y (1).

    `deals_key`, 32 bytes, chooses the deals; `seats_swapped` gives y the A role in even
    games (the second leg of a duplicate match). Rows go into the two tables,
    with `match` in every row and sessions numbered from `first_session`.

    Questions: 0 asks for A's bet, with no arguments; 1 asks whether B calls,
    with the bet as the one argument.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        bytes deals_key,
        int64_t sessions,
        int32_t match=0,
        int32_t first_session=0,
        bint seats_swapped=False,
        bint cap_after_ante=False,
    ):
        read_key(&self.deals_key, deals_key)
        self.sessions = sessions
        self.seats_swapped = seats_swapped
        self.cap_after_ante = cap_after_ante
        self.view_size = sizeof(View)
        self.most_decisions = C_GAMES_PER_SESSION * sessions
        self.phase = START_GAME
        self.money[0] = self.money[1] = C_STACK
        self.previous_card[0] = self.previous_card[1] = -1

        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, first_session)

    cdef int64_t default_answer(self) noexcept nogil:
        return 0    # A passes, B folds

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef int64_t bet, a_money, b_money
        cdef int a_seat, b_seat, place
        cdef bint folded = False
        if self.phase == A_DECIDES:
            a_seat = self.a_seat
            b_seat = 1 - a_seat
            a_money = self.money[a_seat]
            b_money = self.money[b_seat]
            if self.cap_after_ante:
                a_money -= C_ANTE
                b_money -= C_ANTE
            bet = answer if answer > 0 else 0
            bet = bet if bet < a_money else a_money
            bet = bet if bet < C_BET_LIMIT else C_BET_LIMIT
            bet = bet if bet < b_money else b_money
            self.bet = bet
            if bet > 0:
                self.show(b_seat, self.b_card)
                self.decision.kind = QUESTION_B
                self.decision.seat = b_seat
                self.decision.argument_count = 1
                self.decision.arguments[0] = bet
                self.phase = B_DECIDES
                return DECIDE
        elif self.phase == B_DECIDES:
            folded = answer == 0
        if self.phase != START_GAME:    # one call, so that the compiler inlines it
            self.finish_game(folded)

        # Start the next game.
        self.phase = START_GAME
        if self.session == self.sessions:
            return LEG_OVER
        if lacks_room(self):
            return RECORDS_FULL
        place = <int>(<uint64_t>self.game % BLOCK_WORDS)    # cheap since unsigned
        if place == 0:
            self.find_deals()
        # A word's halves are the two cards, of which 24 bits are shown: B's the low one, A's the high one.
        self.a_card = <float>(<int32_t>(self.deals.halves[2 * place + 1][self.lane] >> 8)) * CARD_UNIT
        self.b_card = <float>(<int32_t>(self.deals.halves[2 * place][self.lane] >> 8)) * CARD_UNIT
        a_seat = <int>((self.games_recorded & 1) ^ self.seats_swapped)
        self.a_seat = a_seat
        self.show(a_seat, self.a_card)
        self.decision.kind = QUESTION_A
        self.decision.seat = a_seat
        self.decision.argument_count = 0
        self.phase = A_DECIDES
        return DECIDE

    cdef void find_deals(self) noexcept nogil:
        """Find the next game's block. Many sessions need only their first, so those of several are made at once."""
        if self.game == 0:
            self.deals = &self.openings
            self.lane = <int>(self.session % LANES)
            if self.lane == 0:
                make_blocks(&self.openings, &self.deals_key, 0, <uint64_t>self.session, True)
            return
        self.deals = &self.later
        self.lane = <int>(self.game // BLOCK_WORDS) - 1
        if self.lane == 0:
            make_blocks(&self.later, &self.deals_key, 1, <uint64_t>self.session, False)

    cdef inline void show(self, int seat, float card) noexcept nogil:
        """Write the seat's view."""
        cdef View* view = <View*>self.windows[seat]
        view.card = card
        view.opponents_previous_card = self.previous_card[seat]
        view.money = self.money[seat]
        view.opponents_money = self.money[1 - seat]

    cdef inline void finish_game(self, bint folded) noexcept nogil:
        """Settle the game now played, record it, and the session with it when it ends."""
        cdef int64_t gain, row
        cdef int a_seat = self.a_seat
        cdef int b_seat = 1 - a_seat
        cdef int64_t a_money = self.money[a_seat]
        cdef int64_t b_money = self.money[b_seat]
        cdef int64_t stake = C_ANTE + self.bet
        cdef Columns games = self.games_table.columns
        cdef GameRow* game = <GameRow*>games.content
        gain = stake if self.a_card > self.b_card else -stake    # equal cards: B wins
        gain = C_ANTE if folded else gain

        row = self.games_table.rows
        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = self.first_session + <int32_t>self.session
        column(games, &game.game)[row] = <uint8_t>self.game
        column(games, &game.x_is_a)[row] = a_seat == 0
        column(games, &game.a_card)[row] = self.a_card
        column(games, &game.b_card)[row] = self.b_card
        column(games, &game.a_money)[row] = <int16_t>a_money
        column(games, &game.b_money)[row] = <int16_t>b_money
        column(games, &game.bet)[row] = <uint8_t>self.bet
        column(games, &game.folded)[row] = folded
        column(games, &game.a_gain)[row] = <int8_t>gain
        self.games_table.rows = row + 1

        a_money += gain
        b_money -= gain
        self.money[a_seat] = a_money
        self.money[b_seat] = b_money
        self.previous_card[a_seat] = -1 if folded else self.b_card
        self.previous_card[b_seat] = -1 if folded else self.a_card
        self.games_recorded += 1    # its parity gives the roles, over session borders
        self.game += 1
        if self.game == C_GAMES_PER_SESSION or a_money < C_ANTE or b_money < C_ANTE:
            self.finish_session()

    cdef void finish_session(self) noexcept nogil:
        """Record the session now played and give both their stacks for the next."""
        cdef int64_t gain = self.money[0] - C_STACK
        cdef double points = <double>gain / ROOTS[self.game]
        cdef int64_t row = self.sessions_table.rows
        cdef Columns sessions = self.sessions_table.columns
        cdef SessionRow* session = <SessionRow*>sessions.content
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = self.first_session + <int32_t>self.session
        column(sessions, &session.games)[row] = <uint8_t>self.game
        column(sessions, &session.x_gain)[row] = <int16_t>gain
        column(sessions, &session.x_points)[row] = points
        column(sessions, &session.y_points)[row] = 0 - points    # not -0.0
        self.sessions_table.rows = row + 1

        self.session_points[0] = points
        self.session_points[1] = 0 - points
        self.score_session()
        self.money[0] = self.money[1] = C_STACK
