"""Two-card draw: a bot against a server that plays a fixed strategy by its dice.

The rules are those of the problem TwoCardDraw of TopCoder's Marathon Match 14,
as docs/reference/two_card_draw.md reads them.
"""

cimport cython
from libc.math cimport ceil
from libc.stdint cimport int32_t, int64_t, uint64_t

from engine.games.two_card_draw.hands cimport HAND_OF, RANK
from engine.kernel.deals cimport LANES, Key, lane_of, read_key, start_stream
from engine.kernel.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED, lacks_room, score_game
from engine.kernel.records cimport Columns, Table, column

import numpy as np

SITUATION_COUNT = SITUATIONS

cpdef enum:
    MAX_BETS = 3

cdef enum:
    X = 0
    Y = 1
    ANTE = 1

cdef extern from *:
    """
    #include <stdint.h>
    /* By hand: its cards, and both as two digits. */
    static const int8_t LOW[15] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4};
    static const int8_t HIGH[15] = {0, 1, 2, 3, 4, 1, 2, 3, 4, 2, 3, 4, 3, 4, 4};
    static const uint8_t DIGITS[15] = {0, 1, 2, 3, 4, 11, 12, 13, 14, 22, 23, 24, 33, 34, 44};

    static const double DIE_SIDES = 9007199254740992.0;     /* 2 to the 53rd */

    static inline int high_product(uint64_t a, uint64_t b)
    {
        return (int)(((unsigned __int128)a * b) >> 64);
    }
    """
    int high_product(uint64_t a, uint64_t b) nogil
    const int8_t LOW[15]
    const int8_t HIGH[15]
    const uint8_t DIGITS[15]
    const double DIE_SIDES
    bint unlikely(bint) nogil


# The hand after an exchange, by the number of cards, the hand before, and the new cards: 5 times the first one plus the
# second one.
cdef int8_t EXCHANGED[3][15][25]


cdef void fill_exchanged() noexcept:
    cdef int hand, new
    for hand in range(15):
        for new in range(25):
            EXCHANGED[0][hand][new] = <int8_t>hand
            EXCHANGED[1][hand][new] = HAND_OF[5 * HIGH[hand] + new % 5]
            EXCHANGED[2][hand][new] = HAND_OF[new]


fill_exchanged()


cdef GameRow a_game
cdef SessionRow a_session
cdef GameRow[::1] game_rows = <GameRow[:1]>&a_game
cdef SessionRow[::1] session_rows = <SessionRow[:1]>&a_session
GAME_ROW = np.asarray(game_rows).dtype
SESSION_ROW = np.asarray(session_rows).dtype


@cython.final
cdef class CompiledStrategy:
    """A server's strategy as thresholds of a die of 53 bits.

    Args:
        strategy: Three probabilities for each of SITUATION_COUNT situations: fold, call, raise, or draw 0, 1, 2.

    Raises:
        ValueError: The strategy has another shape.
    """

    def __init__(self, const double[:, ::1] strategy):
        cdef int situation
        cdef const double* chances
        if strategy.shape[0] != SITUATIONS or strategy.shape[1] != 3:
            raise ValueError(f"a strategy has {SITUATIONS} rows of 3")
        for situation in range(SITUATIONS):
            chances = &strategy[situation, 0]
            self.limits[situation][0] = <int64_t>ceil(chances[0] * DIE_SIDES)
            # An action with probability 0 stays impossible, no matter how the others are rounded.
            self.limits[situation][1] = (
                <int64_t>ceil((chances[0] + chances[1]) * DIE_SIDES) if chances[2] > 0 else <int64_t>DIE_SIDES
            )


@cython.final
cdef class TwoCardDraw(GameCore):
    """One session of a bot, X, against the server, Y, which has no seat.

    The cards and the server's dice depend only on the key, the session's number and the hand's number. Each of the
    server's decisions in a hand has its own die.

    Questions: init(bet1, bet2), new_hand(card1, card2, winnings), round1(card1, card2, bets), draw(card1, card2, bets),
    round2(card1, card2, bets1, bets2, drew), showdown(card1, card2, opponent1, opponent2). Answers to the first and the
    last are ignored.

    Args:
        games_table: Receives a row for each hand.
        sessions_table: Receives a row for the session.
        deals_key: Key of the deals and of the server's dice, 32 bytes.
        hands: Number of hands.
        bet1: Bet of round 1, in chips.
        bet2: Bet of round 2, in chips.
        server: Strategy of the server.
        match: Number of the match, for all rows.
        session: Number of the session.

    Raises:
        ValueError: The key has another length, or a table has other columns.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        bytes deals_key,
        int hands,
        int bet1,
        int bet2,
        CompiledStrategy server,
        int64_t match=0,
        int32_t session=0,
    ):
        cdef Key key
        self.take_seats(1)
        read_key(&key, deals_key)
        start_stream(&self.luck, &key, <uint64_t>session)
        self.sessions = 1
        self.games_per_session = hands
        # In a hand the bot has at most 8 decisions: it opens, answers twice, draws, opens, answers twice and sees the
        # showdown. Restarts add a few.
        self.most_decisions = 8 * hands + 100
        self.bet_sizes[0] = bet1
        self.bet_sizes[1] = bet2
        self.server = server
        self.view_size = sizeof(View)
        self.introduction = TO_INTRODUCE
        self.decision.seat = X
        self.decision.kind = START_HAND

        self.record_in(games_table, GAME_ROW, sessions_table, SESSION_ROW, match, session)

    cdef int64_t default_answer(self) noexcept nogil:
        return 0    # check if that is free, otherwise fold; draw nothing

    cdef void restarted(self, int seat) noexcept nogil:
        self.introduction |= TO_INTRODUCE

    cdef Status step(self, int64_t answer) noexcept nogil:
        if unlikely(self.introduction):
            return self.introduce(answer)
        return self.advance(answer)

    cdef Status introduce(self, int64_t answer) noexcept nogil:
        """Ask init before the first decision, which waits until init is answered."""
        cdef Status status = DECIDE
        cdef bint wanted = self.introduction & TO_INTRODUCE
        if self.introduction & INTRODUCING:
            self.decision.kind = self.deferred
        else:
            # This calls `step`, because `advance` is inlined there as long as it has no other caller.
            self.introduction = 0
            status = self.step(answer)
        self.introduction = TO_INTRODUCE if wanted else 0
        if status == DECIDE and wanted:
            self.introduction = 0
            self.show_again()
            if self.ignored_questions[X] >> INIT & 1:
                return status
            self.introduction = INTRODUCING
            self.deferred = self.decision.kind
            self.decision.kind = INIT
        return status

    cdef inline Status advance(self, int64_t answer) noexcept nogil:
        """Play on to the next decision other than init."""
        cdef int bets
        cdef int asked = self.decision.kind
        if asked == ROUND2:
            if <uint64_t>answer > RAISE:
                return self.refuse(answer)
            bets = self.bets[1]
            if bets == 0:   # the bot opens; both 0 and 1 are a check
                self.x_opened[1] = answer == RAISE
                self.bets[1] = answer == RAISE
                return self.server_bets2(answer == RAISE)
            if answer == CALL or (answer == RAISE and bets == MAX_BETS):
                return self.show()
            if answer == FOLD:
                return self.settle(X + 1)
            self.bets[1] = bets + 1
            return self.server_bets2(bets + 1)
        if asked == DRAW:
            return self.draw_cards(<int>answer) if <uint64_t>answer <= 2 else self.refuse(answer)
        if asked == NEW_HAND:
            if <uint64_t>answer > 1:
                return self.refuse(answer)
            self.x_opened[0] = <bint>answer
            self.bets[0] = <int>answer
            return self.server_bets1(<int>answer)
        if asked == SHOWDOWN:
            return self.settle(0)
        if asked == START_HAND:
            return self.start_hand()
        if <uint64_t>answer > RAISE:
            return self.refuse(answer)
        bets = self.bets[0]
        if answer == CALL or (answer == RAISE and bets == MAX_BETS):
            return self.ask_bets(DRAW, bets)
        if answer == FOLD:
            return self.settle(X + 1)
        self.bets[0] = bets + 1
        return self.server_bets1(bets + 1)

    cdef Status refuse(self, int64_t answer) noexcept nogil:
        self.refused_answer = answer
        return REFUSED

    cdef Status start_hand(self) noexcept nogil:
        """Start the next hand if there is one, and room for its row."""
        self.decision.kind = START_HAND
        if self.session == self.sessions:
            return LEG_OVER
        if lacks_room(self):
            return RECORDS_FULL
        return self.deal()

    cdef inline Status deal(self) noexcept nogil:
        cdef int hand
        self.words = &self.luck.ready.halves[0][lane_of(&self.luck, <uint64_t>self.game)]
        # The digits of a word, as a fraction in base 5, are the cards, two for each hand.
        self.cards = self.word(0)
        hand = HAND_OF[high_product(self.cards, 25)]
        self.dealt[X] = hand
        self.hold(hand)
        hand = HAND_OF[high_product(self.cards * 25, 25)]
        self.dealt[Y] = hand
        self.hands[Y] = hand
        self.bets[1] = 0
        self.x_opened[1] = False
        self.drew[X] = 0
        self.drew[Y] = 0
        self.round = 0
        self.view().winnings = <int32_t>self.session_points[0]
        self.decision.kind = NEW_HAND
        return DECIDE

    cdef inline uint64_t word(self, int number) noexcept nogil:
        """Return a word of the hand's block, 64 bits."""
        return <uint64_t>self.words[(2 * number + 1) * LANES] << 32 | self.words[2 * number * LANES]

    cdef inline int server_acts(self, int situation, int die) noexcept nogil:
        """Return the server's action in a situation: 0, 1 or 2.

        Each of its decisions in a hand has a die: two in round 1, the draw, two in round 2.
        """
        cdef const int64_t* limits = self.server.limits[situation]
        cdef int64_t cast = <int64_t>(self.word(1 + die) >> 11)
        return (cast >= limits[0]) + (cast >= limits[1])

    cdef inline Status server_bets1(self, int faced) noexcept nogil:
        """Play the server's answer to the bot's check (`faced` 0) or bets of round 1."""
        # The server's second decision of a round is the one that faces more than one bet.
        cdef int act = self.server_acts(round1_situation(self.hands[Y], faced), faced > 1)
        if act == CALL:
            return self.ask_bets(DRAW, faced)
        if act == FOLD:
            return self.settle(Y + 1)
        self.bets[0] = faced + 1
        return self.ask_bets(ROUND1, faced + 1)

    cdef inline Status server_bets2(self, int faced) noexcept nogil:
        """Play the server's answer to the bot's check (`faced` 0) or bets of round 2."""
        cdef int act = self.server_acts(self.situation2 + faced, 3 + (faced > 1))
        if act == CALL:
            return self.show()
        if act == FOLD:
            return self.settle(Y + 1)
        self.bets[1] = faced + 1
        self.view().bets2 = faced + 1   # the other values are as before
        return DECIDE

    cdef inline Status show(self) noexcept nogil:
        """End the hand after the last call, with the question showdown if the bot wants it."""
        if self.ignored_questions[X] >> SHOWDOWN & 1:
            return self.settle(0)
        self.decision.kind = SHOWDOWN
        self.view().opp1 = LOW[self.hands[Y]]
        self.view().opp2 = HIGH[self.hands[Y]]
        return DECIDE

    cdef inline Status draw_cards(self, int x_draws) noexcept nogil:
        cdef int history = history_number(self.bets[0], not self.x_opened[0])
        cdef int y_draws = self.server_acts(draw_situation(self.hands[Y], history, x_draws), 2)
        self.drew[X] = x_draws
        self.drew[Y] = y_draws
        self.hold(self.exchanged(X, x_draws))
        self.hands[Y] = self.exchanged(Y, y_draws)
        self.situation2 = round2_situation(self.hands[Y], history, x_draws, y_draws, 0)
        self.round = 1
        self.decision.kind = ROUND2
        self.view().bets1 = self.bets[0]
        self.view().bets2 = 0
        self.view().drew = y_draws
        return DECIDE

    cdef inline int exchanged(self, int seat, int count) noexcept nogil:
        """Return a seat's hand with new cards for its lower one, or for both."""
        return EXCHANGED[count][self.hands[seat]][high_product(self.cards * (15625 if seat else 625), 25)]

    cdef inline void hold(self, int hand) noexcept nogil:
        """Give the bot a hand, which all questions but init show."""
        self.hands[X] = hand
        self.view().card1 = LOW[hand]
        self.view().card2 = HIGH[hand]

    cdef inline View* view(self) noexcept nogil:
        return <View*>self.windows[X]

    cdef inline Status ask_bets(self, int kind, int bets) noexcept nogil:
        """Ask a question that shows the bets of round 1."""
        self.decision.kind = kind
        self.view().bets = bets
        return DECIDE

    cdef void show_again(self) noexcept nogil:
        """Show a restarted bot what the questions so far showed. The server's hand is shown only at a showdown."""
        cdef View* view = self.view()
        view.bet1 = self.bet_sizes[0]
        view.bet2 = self.bet_sizes[1]
        view.card1 = LOW[self.hands[X]]
        view.card2 = HIGH[self.hands[X]]
        view.winnings = <int32_t>self.session_points[0]
        view.bets = view.bets1 = self.bets[0]
        view.bets2 = self.bets[1]
        view.drew = self.drew[Y]
        if self.decision.kind == SHOWDOWN:
            view.opp1 = LOW[self.hands[Y]]
            view.opp2 = HIGH[self.hands[Y]]

    cdef Status settle(self, int folded_by) noexcept nogil:
        """Record the current hand, and the session at its end, and continue with the next hand.

        Args:
            folded_by: 0 if the cards decide, 1 if x folded, 2 if y folded.
        """
        cdef int bets1 = self.bets[0]
        cdef int bets2 = self.bets[1]
        cdef int stake = ANTE + bets1 * self.bet_sizes[0] + bets2 * self.bet_sizes[1]
        cdef int x_holds = self.hands[X]
        cdef int y_holds = self.hands[Y]
        cdef int gain, pot, mine, other
        cdef int64_t* rows = &self.games_table.rows
        cdef int64_t row = rows[0]
        cdef Columns games = self.games_table.columns
        cdef GameRow* game = <GameRow*>games.content
        if folded_by:
            # The other player didn't match the last bet.
            pot = 2 * stake - self.bet_sizes[self.round]
            gain = self.bet_sizes[self.round] - stake
            if folded_by == Y + 1:
                gain = -gain
        else:
            pot = 2 * stake
            mine = RANK[x_holds]
            other = RANK[y_holds]
            gain = stake * ((mine > other) - (mine < other))
        column(games, &game.match)[row] = self.match
        column(games, &game.session)[row] = self.first_session
        column(games, &game.game)[row] = <uint16_t>self.game
        column(games, &game.dealt_0)[row] = DIGITS[self.dealt[X]]
        column(games, &game.house_dealt)[row] = DIGITS[self.dealt[Y]]
        column(games, &game.bets1)[row] = <uint8_t>bets1
        column(games, &game.opened1_0)[row] = <uint8_t>self.x_opened[0]
        column(games, &game.drew_0)[row] = <uint8_t>self.drew[X]
        column(games, &game.house_drew)[row] = <uint8_t>self.drew[Y]
        column(games, &game.held_0)[row] = DIGITS[x_holds]
        column(games, &game.house_held)[row] = DIGITS[y_holds]
        column(games, &game.bets2)[row] = <uint8_t>bets2
        column(games, &game.opened2_0)[row] = <uint8_t>self.x_opened[1]
        column(games, &game.rounds)[row] = <uint8_t>(self.round + 1)
        column(games, &game.folded_by)[row] = <uint8_t>folded_by
        column(games, &game.pot)[row] = <uint8_t>pot
        column(games, &game.gain_0)[row] = <int8_t>gain
        row += 1
        rows[0] = row
        score_game(self, gain)
        if unlikely(self.game == self.games_per_session):
            return self.finish_session()
        if unlikely(row == self.games_table.capacity):
            return self.start_hand()
        return self.deal()

    cdef Status finish_session(self) noexcept nogil:
        cdef int64_t row = self.sessions_table.rows
        cdef Columns sessions = self.sessions_table.columns
        cdef SessionRow* session = <SessionRow*>sessions.content
        cdef int64_t winnings = <int64_t>self.session_points[0]
        cdef int64_t score = winnings + self.games_per_session
        column(sessions, &session.match)[row] = self.match
        column(sessions, &session.session)[row] = self.first_session
        column(sessions, &session.games)[row] = <uint16_t>self.games_per_session
        column(sessions, &session.gain_0)[row] = <int32_t>winnings
        column(sessions, &session.score_0)[row] = <int32_t>(score if score > 0 else 0)
        self.sessions_table.rows = row + 1
        self.score_session()
        return self.start_hand()
