"""One-card von Neumann poker: bankroll sessions, alternating roles, m/√g points.

The rules are those of the King-of-the-Hill contest of 2020, as docs/reference/von_neumann_poker.md reads them.
"""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint32_t, uint64_t

from engine.kernel.deals cimport BLOCK_WORDS, LANES, Blocks, Key, make_blocks, read_key
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, lacks_room
from engine.kernel.records cimport Columns, Table, column

import numpy as np

cpdef enum:
    STACK = 100
    ANTE = 10
    BET_LIMIT = 50
    GAMES_PER_SESSION = 50

cdef enum:
    QUESTION_A = 0
    QUESTION_B = 1

cdef extern from *:
    """
    #define CARD_UNIT (1.0f / 16777216.0f)
    """
    const float CARD_UNIT    # 2^-24: cards are exact in a float
    bint unlikely(bint) nogil

cdef enum:
    NO_CARD = 0xBF800000    # the bits of -1

cdef double ROOTS[GAMES_PER_SESSION + 1]
for _games in range(GAMES_PER_SESSION + 1):
    ROOTS[_games] = sqrt(_games)

cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


cdef void make_cards(Cards* made, const Key* key, uint64_t number, uint64_t stream, bint across) noexcept nogil:
    """Make the cards of eight blocks, as `make_blocks` does. A card is 24 bits of half a word."""
    cdef Blocks blocks
    cdef int half, lane
    make_blocks(&blocks, key, number, stream, across)
    for half in range(2 * BLOCK_WORDS):
        for lane in range(LANES):
            made.cards[half][lane].value = <float>(<int32_t>(blocks.halves[half][lane] >> 8)) * CARD_UNIT


cdef inline uint32_t shown(uint32_t card, bint folded) noexcept nogil:
    """Return the bits of a card as it is shown after the game: those of −1 if B folded."""
    return (card & (<uint32_t>folded - 1)) | (NO_CARD & (0 - <uint32_t>folded))


@cython.final
cdef class VonNeumannPoker(GameCore):
    """One leg between the bots at seats x (0) and y (1).

    Question 0 asks for A's bet, and question 1 whether B calls it. An answer out of bounds counts as the nearest legal
    bet.

    Args:
        games_table: Receives a row for each game.
        sessions_table: Receives a row for each session.
        deals_key: Key of the deals, 32 bytes.
        sessions: Number of sessions.
        match: Number of the match, for all rows.
        first_session: Number of the first session, for the rows.
        seats_swapped: Whether y is A in even games.
        cap_after_ante: Whether a bet is limited by the money that remains after the ante.
        roles_by_session: Whether even sums of session and game count instead, as in a duplicate match. Two legs of the
            same deals, one of them swapped, then exchange the roles of every deal no matter how long sessions are.

    Raises:
        ValueError: The key has another length, or a table has other columns.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        bytes deals_key,
        int64_t sessions,
        int64_t match=0,
        int32_t first_session=0,
        bint seats_swapped=False,
        bint cap_after_ante=False,
        bint roles_by_session=False,
    ):
        read_key(&self.deals_key, deals_key)
        self.sessions = sessions
        self.a_seat = self.first_a_seat = seats_swapped
        self.roles_by_session = roles_by_session
        self.ante_of_cap = ANTE if cap_after_ante else 0
        self.view_size = sizeof(View)
        self.most_decisions = GAMES_PER_SESSION * sessions
        self.phase = START_GAME
        self.a_money = STACK
        self.a_previous_card = self.b_previous_card = NO_CARD
        self.session_number = first_session

        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, first_session)

    cdef int64_t default_answer(self) noexcept nogil:
        return 0    # A passes, B folds

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef int64_t bet, most, a_money, b_money
        cdef bint folded
        if self.phase == A_DECIDES:
            a_money = self.a_money
            b_money = 2 * STACK - a_money
            most = (a_money if a_money < b_money else b_money) - self.ante_of_cap
            most = most if most < BET_LIMIT else BET_LIMIT
            bet = answer if answer > 0 else 0
            bet = bet if bet < most else most
            self.bet = <int32_t>bet
            if bet == 0:
                return self.finish_game(self.stake_won(), False, self.a_card, self.b_card)
            self.decision.kind = QUESTION_B
            self.decision.seat = 1 - self.a_seat
            self.show(1 - self.a_seat, self.b_card, self.b_previous_card, b_money, a_money)
            (<View*>self.windows[1 - self.a_seat]).bet = <int32_t>bet
            self.phase = B_DECIDES
            return DECIDE
        if self.phase == B_DECIDES:
            folded = answer == 0
            return self.finish_game(
                ANTE if folded else self.stake_won(), folded, shown(self.a_card, folded), shown(self.b_card, folded)
            )
        return self.start_game()

    cdef inline int64_t stake_won(self) noexcept nogil:
        """Return A's win in dollars if the cards decide. If they are equal, B wins."""
        return (ANTE + self.bet) * (2 * (self.a_card > self.b_card) - 1)

    cdef Status finish_game(self, int64_t gain, bint folded, uint32_t a_shown, uint32_t b_shown) noexcept nogil:
        """Record the current game, and the session at its end, and continue with the next game.

        Args:
            gain: A's gain in dollars.
            folded: Whether B folded.
            a_shown: A's card as B sees it at its next decision.
            b_shown: B's card as A sees it at its next decision.
        """
        cdef int64_t* rows = &self.games_table.rows
        cdef int64_t row = rows[0]
        cdef int64_t a_money = self.a_money
        cdef int64_t game_number = self.game
        cdef Columns games = self.games_table.columns
        cdef GameRow* game = <GameRow*>games.content
        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = self.session_number
        column(games, &game.game)[row] = <uint8_t>game_number
        column(games, &game.seat_0_is_a)[row] = <uint8_t>(1 - self.a_seat)
        (<uint32_t*>column(games, &game.a_card))[row] = self.a_card
        (<uint32_t*>column(games, &game.b_card))[row] = self.b_card
        column(games, &game.a_money)[row] = <int16_t>a_money
        column(games, &game.b_money)[row] = <int16_t>(2 * STACK - a_money)
        column(games, &game.bet)[row] = <uint8_t>self.bet
        column(games, &game.folded)[row] = folded
        column(games, &game.a_gain)[row] = <int8_t>gain
        row += 1
        rows[0] = row

        # The roles change after each game, also from session to session.
        self.a_seat = 1 - self.a_seat
        a_money = 2 * STACK - (a_money + gain)
        self.a_money = a_money
        self.a_previous_card = a_shown
        self.b_previous_card = b_shown
        self.games_recorded += 1
        game_number += 1
        self.game = game_number
        if unlikely(game_number == GAMES_PER_SESSION or <uint64_t>(a_money - ANTE) > 2 * (STACK - ANTE)):
            return self.finish_session()
        if unlikely(row == self.games_table.capacity):
            return self.start_game()
        return self.deal()

    cdef Status finish_session(self) noexcept nogil:
        """Record the session that ended, give both bots their stacks, and continue with the next session."""
        cdef int64_t gain = (STACK - self.a_money) if self.a_seat else (self.a_money - STACK)
        cdef double points = <double>gain / ROOTS[self.game]
        cdef int64_t row = self.sessions_table.rows
        cdef Columns sessions = self.sessions_table.columns
        cdef SessionRow* session = <SessionRow*>sessions.content
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = self.session_number
        column(sessions, &session.games)[row] = <uint8_t>self.game
        column(sessions, &session.gain_0)[row] = <int16_t>gain
        column(sessions, &session.points_0)[row] = points
        column(sessions, &session.points_1)[row] = 0 - points    # never -0.0
        self.sessions_table.rows = row + 1

        self.session_points[0] = points
        self.session_points[1] = 0 - points
        self.score_session()
        self.session_number += 1
        self.a_money = STACK
        if self.roles_by_session and self.a_seat != self.first_a_seat ^ <int>(self.session & 1):
            self.a_seat = 1 - self.a_seat
            self.a_previous_card, self.b_previous_card = self.b_previous_card, self.a_previous_card
        return self.start_game()

    cdef Status start_game(self) noexcept nogil:
        """Start the next game if there is one, and room for its row."""
        self.phase = START_GAME
        if self.session == self.sessions:
            return LEG_OVER
        if lacks_room(self):
            return RECORDS_FULL
        return self.deal()

    cdef inline Status deal(self) noexcept nogil:
        """Deal the next game, and ask A for a bet."""
        if unlikely(<uint64_t>self.game % BLOCK_WORDS == 0):    # unsigned division is cheap
            self.find_deals()
        self.b_card = self.next_cards[0].bits
        self.a_card = self.next_cards[LANES].bits
        self.next_cards += 2 * LANES
        self.decision.kind = QUESTION_A
        self.decision.seat = self.a_seat
        self.show(self.a_seat, self.a_card, self.a_previous_card, self.a_money, 2 * STACK - self.a_money)
        self.phase = A_DECIDES
        return DECIDE

    cdef void find_deals(self) noexcept nogil:
        """Find the next game's block of cards.

        Many sessions need only their first block, so those of several sessions are made at the same time.
        """
        cdef int lane
        if self.game == 0:
            lane = <int>(self.session % LANES)
            if lane == 0:
                make_cards(&self.openings, &self.deals_key, 0, <uint64_t>self.session, True)
            self.next_cards = &self.openings.cards[0][lane]
            return
        lane = <int>(self.game // BLOCK_WORDS) - 1
        if lane == 0:
            make_cards(&self.later, &self.deals_key, 1, <uint64_t>self.session, False)
        self.next_cards = &self.later.cards[0][lane]

    cdef inline void show(
        self, int seat, uint32_t card, uint32_t previous_card, int64_t money, int64_t opponents_money
    ) noexcept nogil:
        """Write a seat's view."""
        cdef View* view = <View*>self.windows[seat]
        view.card = card
        view.opponents_previous_card = previous_card
        view.money = <int32_t>money
        view.opponents_money = <int32_t>opponents_money
