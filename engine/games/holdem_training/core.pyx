"""Hold'em training: one raise a round against Bob, who is part of the game.

The rules are those of "Texas Hold'em Training", as docs/reference/holdem_training.md reads them.
"""

cimport cython

from engine.games.holdem_training.bob cimport MAX_RAISE, POT, call_probabilities, calls_by_rollouts, hole_class
from engine.kernel.deals cimport Key, block_word, lane_of, read_key, start_stream
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, lacks_room, score_game
from engine.games.holdem_training.hand_strength cimport hand_tables, strength_with
from engine.kernel.records cimport Columns, Table, column
from engine.games.holdem_training.unseen cimport Unseen, draw, see_all_but

import numpy as np

cdef enum:
    # The deal uses the first two words of a hand's block. Bob's decision in round r, from 0, uses the word with this
    # number plus r.
    BOBS_WORD = 2

cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


@cython.final
cdef class HoldemTraining(GameCore):
    """One leg of Alice, the only seat, against Bob.

    The one question, 0, asks for CHECK, FOLD or the chips to raise. Points are Alice's profit in chips, scored hand by
    hand.

    Args:
        games_table: Receives a row for each hand.
        sessions_table: Receives a row for each session.
        deals_key: Key of the deals and of Bob's dice, 32 bytes.
        sessions: Number of sessions.
        hands: Number of hands of a session.
        match: Number of the match, for all rows.
        first_session: Number of the first session, for the rows.
        decks: Cards of each hand in the order of the deal, instead of random ones: uint8, shape (sessions · hands, 9).

    Attributes:
        bobs_answer: Bob's last answer: BOB_CALLED and so on.
        profit: Alice's profit in the last hand, in chips.

    Raises:
        ValueError: The key has another length, decks have another shape or other cards, or a table has other columns.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        bytes deals_key,
        int64_t sessions,
        int64_t hands,
        int64_t match=0,
        int32_t first_session=0,
        const uint8_t[:, ::1] decks=None,
    ):
        cdef Key key
        self.take_seats(1)
        read_key(&key, deals_key)
        start_stream(&self.luck, &key, 0)
        self.sessions = sessions
        self.games_per_session = hands
        self.most_decisions = ROUNDS * sessions * hands
        self.has_decks = decks is not None
        if self.has_decks:
            if decks.shape[0] != sessions * hands or decks.shape[1] != CARDS:
                raise ValueError(f"decks must have {sessions * hands} rows of {CARDS} cards")
            for row in decks:
                if len(set(row)) != CARDS or max(row) > 51:
                    raise ValueError("a deck is nine different cards, 0 to 51")
        self.decks = decks
        self.tables = hand_tables()
        self.preflop_calls = call_probabilities()
        self.view_size = sizeof(View)
        self.phase = START_HAND

        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, first_session)

    cdef int64_t default_answer(self) noexcept nogil:
        return CHECK

    cdef void restarted(self, int seat) noexcept nogil:
        """Check the hand down without a bot that restarts in the middle of it, because it can't know the bets."""
        self.sits_out = True

    cdef Status step(self, int64_t answer) noexcept nogil:
        if self.phase == ALICE_DECIDES:
            if not FOLD <= answer <= self.stack:
                self.refused_answer = answer
                return REFUSED
            if self.take_action(answer):
                self.show()
                return DECIDE

        # Start the next hand.
        self.phase = START_HAND
        if self.session == self.sessions:
            return LEG_OVER
        if lacks_room(self):
            return RECORDS_FULL
        self.deal()
        self.sits_out = False
        self.round = 0
        self.stack = STACK
        self.pot = POT
        self.show()
        self.decision.kind = 0
        self.decision.seat = 0
        self.phase = ALICE_DECIDES
        return DECIDE

    cdef bint take_action(self, int64_t action) noexcept nogil:
        """Apply Alice's action and Bob's answer, and return whether she decides again in this hand."""
        while True:
            if action == FOLD:
                self.bobs_answer = BOB_NOT_ASKED
                self.finish_hand(self.stack - STACK, ALICE)
                return False
            self.raises[self.round] = <uint8_t>action
            if action == CHECK:
                self.bobs_answer = BOB_CHECKED
            elif self.bob_calls(action):
                self.bobs_answer = BOB_CALLED
                self.stack -= action
                self.pot += 2 * action
            else:
                self.bobs_answer = self.answers[self.round] = BOB_FOLDED
                self.finish_hand(self.stack + self.pot - STACK, BOB)
                return False
            self.answers[self.round] = <uint8_t>self.bobs_answer
            if self.round == ROUNDS - 1:
                self.finish_hand(self.stack + self.showdown() - STACK, NOBODY)
                return False
            self.round += 1
            if not self.sits_out:
                return True
            action = CHECK

    cdef void deal(self) noexcept nogil:
        """Deal the nine cards of the hand, and find its block of words."""
        cdef Unseen deck
        cdef uint64_t word
        cdef int64_t number = self.session * self.games_per_session + self.game
        cdef int i
        self.lane = lane_of(&self.luck, <uint64_t>number)
        if self.has_decks:
            for i in range(CARDS):
                self.cards[i] = self.decks[number, i]
            return
        see_all_but(&deck, 0)
        word = block_word(&self.luck.ready, self.lane, 0)
        for i in range(CARDS):
            if i == 4:
                word = block_word(&self.luck.ready, self.lane, 1)
            word = draw(&deck, i, word)
            self.cards[i] = deck.cards[i]

    cdef void show(self) noexcept nogil:
        """Write what Alice sees in this round."""
        cdef View* view = <View*>self.windows[0]
        cdef int shown = 4 if self.round == 0 else 6 + self.round    # number of cards, without Bob's
        cdef int i
        for i in range(CARDS):
            if i < 2 or 4 <= i < shown:
                view.cards[i].suit = self.cards[i] // 13
                view.cards[i].value = self.cards[i] % 13 + 1
            else:
                view.cards[i].suit = view.cards[i].value = -1
        view.round = self.round + 1
        view.stack = view.bobs_stack = <int32_t>self.stack
        view.pot = <int32_t>self.pot

    cdef bint bob_calls(self, int64_t raised) noexcept nogil:
        cdef uint64_t word = block_word(&self.luck.ready, self.lane, BOBS_WORD + self.round)
        if self.round == 0:
            return (word >> 11) * (1.0 / 9007199254740992.0) < (
                self.preflop_calls[(MAX_RAISE + 1) * hole_class(self.cards[2], self.cards[3]) + raised]
            )
        return calls_by_rollouts(
            self.tables, &self.cards[2], &self.cards[4], 2 + self.round, self.pot, raised, word
        )

    cdef int64_t showdown(self) noexcept nogil:
        """Return Alice's share of the pot, in chips."""
        cdef uint64_t keys = self.tables.start
        cdef uint64_t bits = 0
        cdef int alices, bobs, i
        for i in range(4, CARDS):
            keys += self.tables.keys[self.cards[i]]
            bits |= self.tables.bits[self.cards[i]]
        alices = strength_with(self.tables, keys, bits, &self.cards[0])
        bobs = strength_with(self.tables, keys, bits, &self.cards[2])
        return self.pot if alices > bobs else self.pot // 2 if alices == bobs else 0

    cdef void finish_hand(self, int64_t profit, int folded_by) noexcept nogil:
        """Record the hand that ended, and the session if it ended, too.

        Args:
            profit: Alice's profit in chips.
            folded_by: Player who folded, as in the column folded_by.
        """
        cdef int64_t row = self.games_table.rows
        cdef Columns games = self.games_table.columns
        cdef GameRow* game = <GameRow*>games.content
        cdef int i
        self.profit = profit
        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = self.first_session + <int32_t>self.session
        column(games, &game.game)[row] = <int32_t>self.game
        for i in range(CARDS):
            column(games, &game.alice_card_1 + i)[row] = self.cards[i]
        for i in range(ROUNDS):
            column(games, &game.raise_1 + 2 * i)[row] = self.raises[i]
            column(games, &game.bob_answer_1 + 2 * i)[row] = self.answers[i]
            self.raises[i] = 0
            self.answers[i] = BOB_NOT_ASKED
        column(games, &game.folded_by)[row] = folded_by
        column(games, &game.profit)[row] = <int8_t>profit
        self.games_table.rows = row + 1

        score_game(self, profit)
        if self.game == self.games_per_session:
            self.finish_session()

    cdef void finish_session(self) noexcept nogil:
        cdef int64_t row = self.sessions_table.rows
        cdef Columns sessions = self.sessions_table.columns
        cdef SessionRow* session = <SessionRow*>sessions.content
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = self.first_session + <int32_t>self.session
        column(sessions, &session.games)[row] = <int32_t>self.game
        column(sessions, &session.profit)[row] = <int32_t>self.session_points[0]
        column(sessions, &session.mean_profit)[row] = self.session_points[0] / <double>self.game
        self.sessions_table.rows = row + 1
        self.score_session()

    @property
    def hands(self):
        """Number of hands in the leg."""
        return self.sessions * self.games_per_session
