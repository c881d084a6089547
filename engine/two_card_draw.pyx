"""Two-card draw: a bot against a server that plays a fixed strategy by its dice.

The rules are those of the problem TwoCardDraw of TopCoder's Marathon Match 14,
as docs/two_card_draw.md reads them.
"""

cimport cython

from engine.deals cimport stream_key, stream_word
from engine.game_core cimport DECIDE, LEG_OVER, RECORDS_FULL, REFUSED

SITUATION_COUNT = SITUATIONS
MOST_BETS = 3

cdef enum:
    X = 0
    Y = 1

cdef enum Question:
    INIT
    NEW_HAND
    ROUND1
    DRAW
    ROUND2
    SHOWDOWN

cdef enum Action:
    FOLD
    CALL
    RAISE

cdef enum:
    C_MOST_BETS = 3
    ANTE = 1
    WORDS = 8               # of the stream for each hand: the cards, then the server's dice

cdef extern from *:
    """
    #include <stdint.h>
    static const uint64_t POWERS[8] = {1, 5, 25, 125, 625, 3125, 15625, 78125};
    static inline uint64_t high_product(uint64_t a, uint64_t b)
    {
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
    }
    """
    uint64_t high_product(uint64_t a, uint64_t b) nogil
    const uint64_t POWERS[8]


def situation_of_round1(int low, int high, int bets):
    """The number of a ROUND1 line, from 0 in a file's order."""
    return round1_situation(hand_number(low, high), bets)


def situation_of_draw(int low, int high, int bets, int x_drew, bint y_opened):
    """The number of a DRAW line."""
    return draw_situation(hand_number(low, high), history_number(bets, y_opened), x_drew)


def situation_of_round2(int low, int high, int bets, bint y_opened, int x_drew, int y_drew, int bets2):
    """The number of a ROUND2 line."""
    return round2_situation(hand_number(low, high), history_number(bets, y_opened), x_drew, y_drew, bets2)


@cython.final
cdef class TwoCardDraw(GameCore):
    """One session, `hands` hands, of the bot in seat x against the server in seat y.

    `strategy` has a row of three probabilities for each of the SITUATION_COUNT
    situations: fold, call, raise; or draw 0, 1, 2. The cards and the server's
    dice depend on `deals_key`, the session's and the hand's number only, not on
    what the bot does: there is a die for each of the server's decisions of a hand.

    Questions: init(bet1, bet2), new_hand(card1, card2, winnings), round1(card1,
    card2, bets), draw(card1, card2, bets), round2(card1, card2, bets1, bets2,
    drew), showdown(card1, card2, opponent1, opponent2). Answers to the first and the last are ignored.
    """

    def __init__(
        self,
        Table games_table,
        Table sessions_table,
        *,
        uint64_t deals_key,
        int hands,
        int bet1,
        int bet2,
        const double[:, ::1] strategy,
        int32_t match=0,
        int32_t session=0,
    ):
        if strategy.shape[0] != SITUATIONS or strategy.shape[1] != 3:
            raise ValueError(f"a strategy has {SITUATIONS} rows of 3")
        self.deals_key = deals_key
        self.session_deals = stream_key(deals_key, <uint64_t>session)
        self.sessions = 1
        self.games_per_session = hands
        # A hand has at most 8: it opens, answers twice, draws, opens, answers twice, sees; restarts bring a few more.
        self.most_decisions = 8 * hands + 100
        self.bet_sizes[0] = bet1
        self.bet_sizes[1] = bet2
        self.strategy = strategy
        self.match = match
        self.first_session = session
        self.view_size = 0
        self.phase = START_HAND
        self.to_introduce = True

        self.games_table = games_table
        self.g_match = <int32_t*>games_table.column("match", "int32")
        self.g_session = <int32_t*>games_table.column("session", "int32")
        self.g_game = <uint16_t*>games_table.column("game", "uint16")
        self.g_x_dealt = <uint8_t*>games_table.column("x_dealt", "uint8")
        self.g_y_dealt = <uint8_t*>games_table.column("y_dealt", "uint8")
        self.g_bets1 = <uint8_t*>games_table.column("bets1", "uint8")
        self.g_x_opened1 = <uint8_t*>games_table.column("x_opened1", "uint8")
        self.g_x_drew = <uint8_t*>games_table.column("x_drew", "uint8")
        self.g_y_drew = <uint8_t*>games_table.column("y_drew", "uint8")
        self.g_x_held = <uint8_t*>games_table.column("x_held", "uint8")
        self.g_y_held = <uint8_t*>games_table.column("y_held", "uint8")
        self.g_bets2 = <uint8_t*>games_table.column("bets2", "uint8")
        self.g_x_opened2 = <uint8_t*>games_table.column("x_opened2", "uint8")
        self.g_rounds = <uint8_t*>games_table.column("rounds", "uint8")
        self.g_folded = <uint8_t*>games_table.column("folded", "uint8")
        self.g_pot = <uint8_t*>games_table.column("pot", "uint8")
        self.g_x_gain = <int8_t*>games_table.column("x_gain", "int8")
        self.sessions_table = sessions_table
        self.s_match = <int32_t*>sessions_table.column("match", "int32")
        self.s_session = <int32_t*>sessions_table.column("session", "int32")
        self.s_games = <uint16_t*>sessions_table.column("games", "uint16")
        self.s_x_gain = <int32_t*>sessions_table.column("x_gain", "int32")
        self.s_x_score = <int32_t*>sessions_table.column("x_score", "int32")

    cdef int64_t default_answer(self) noexcept nogil:
        return 0    # check where that is free, else fold; draw nothing

    cdef void restarted(self, int seat) noexcept nogil:
        self.to_introduce = True

    cdef Status step(self, int64_t answer) noexcept nogil:
        cdef Status status = DECIDE
        if self.introducing:
            self.introducing = False
            self.decision = self.deferred
        else:
            status = self.advance(answer)
        if status == DECIDE and self.to_introduce:
            self.to_introduce = False
            self.introducing = True
            self.deferred = self.decision
            self.decision.kind = INIT
            self.decision.argument_count = 2
            self.decision.arguments[0] = self.bet_sizes[0]
            self.decision.arguments[1] = self.bet_sizes[1]
        return status

    cdef Status advance(self, int64_t answer) noexcept nogil:
        """Play on to the next decision but init."""
        cdef int bets
        if self.phase == START_HAND:
            return self.start_hand()
        if self.phase == BOT_SEES:
            return self.settle(0)
        if answer < 0 or answer > 2 or (answer == 2 and self.phase == BOT_OPENS):
            self.refused_answer = answer
            return REFUSED
        if self.phase == BOT_DRAWS:
            return self.draw_cards(<int>answer)
        bets = self.bets[self.round]
        if bets == 0:   # he opens; in round 2 both 0 and 1 are a check
            if answer == (2 if self.phase == BOT_BETS else 1):
                self.bets[self.round] = 1
                return self.server_bets(1)
            return self.server_bets(0)
        if answer == FOLD:
            return self.settle(X + 1)
        if answer == RAISE and bets < C_MOST_BETS:
            self.bets[self.round] = bets + 1
            return self.server_bets(bets + 1)
        return self.close_round()

    cdef Status start_hand(self) noexcept nogil:
        cdef uint64_t word
        cdef int i, seat, a, b
        if self.session == self.sessions:
            return LEG_OVER
        if (
            self.games_table.rows == self.games_table.capacity
            or self.sessions_table.rows == self.sessions_table.capacity
        ):
            return RECORDS_FULL
        # The digits in base 5 of the word as a fraction; by powers, so that none waits for another.
        word = stream_word(self.session_deals, <uint64_t>self.game * WORDS)
        for i in range(8):
            self.cards[i] = <int>high_product(word * POWERS[i], 5)
        for seat in range(2):
            a = self.cards[2 * seat]
            b = self.cards[2 * seat + 1]
            self.hands[seat][0] = min(a, b)
            self.hands[seat][1] = max(a, b)
            self.dealt[seat] = 10 * self.hands[seat][0] + self.hands[seat][1]
            self.bets[seat] = 0
            self.y_opened[seat] = False
            self.drew[seat] = 0
        self.round = 0
        return self.ask(BOT_OPENS, NEW_HAND, <int64_t>self.session_points, 0, 0)

    cdef Status server_bets(self, int faced) noexcept nogil:
        """The server answers the bot's check (`faced` 0) or bets."""
        cdef int hand = hand_number(self.hands[Y][0], self.hands[Y][1])
        cdef int situation
        cdef const double* chances
        cdef double die
        if self.round == 0:
            situation = round1_situation(hand, faced)
        else:
            situation = round2_situation(
                hand, history_number(self.bets[0], self.y_opened[0]), self.drew[X], self.drew[Y], faced
            )
        # Of its two decisions in a round, the second is the one that faces more than one bet.
        die = self.die(3 * self.round + (faced > 1))
        chances = &self.strategy[situation, 0]
        if die < chances[0]:
            return self.settle(Y + 1)
        if die < chances[0] + chances[1] or chances[2] == 0:
            return self.close_round()
        if faced == 0:
            self.y_opened[self.round] = True
        self.bets[self.round] = faced + 1
        if self.round == 0:
            return self.ask(BOT_ANSWERS, ROUND1, faced + 1, 0, 0)
        return self.ask(BOT_BETS, ROUND2, self.bets[0], faced + 1, self.drew[Y])

    cdef Status close_round(self) noexcept nogil:
        """All bets of the round are called."""
        if self.round == 0:
            return self.ask(BOT_DRAWS, DRAW, self.bets[0], 0, 0)
        return self.ask(BOT_SEES, SHOWDOWN, self.hands[Y][0], self.hands[Y][1], 0)

    cdef Status draw_cards(self, int x_draws) noexcept nogil:
        cdef int situation = draw_situation(
            hand_number(self.hands[Y][0], self.hands[Y][1]), history_number(self.bets[0], self.y_opened[0]), x_draws
        )
        cdef const double* chances = &self.strategy[situation, 0]
        cdef double die = self.die(2)
        cdef int y_draws = 0
        if die >= chances[0]:
            y_draws = 1 if die < chances[0] + chances[1] or chances[2] == 0 else 2
        self.exchange(X, x_draws)
        self.exchange(Y, y_draws)
        self.round = 1
        return self.ask(BOT_BETS, ROUND2, self.bets[0], 0, y_draws)

    cdef void exchange(self, int seat, int count) noexcept nogil:
        """Give a seat new cards for its lower one, or for both."""
        cdef int kept = self.cards[4 + 2 * seat]
        cdef int drawn = self.cards[5 + 2 * seat]
        self.drew[seat] = count
        if count == 0:
            return
        if count == 1:
            kept = self.hands[seat][1]
        self.hands[seat][0] = min(kept, drawn)
        self.hands[seat][1] = max(kept, drawn)

    cdef double die(self, int slot) noexcept nogil:
        """The server's die in [0, 1) for one of its decisions of this hand."""
        cdef uint64_t word = stream_word(self.session_deals, <uint64_t>self.game * WORDS + 1 + slot)
        return <double>(word >> 11) * (1.0 / 9007199254740992.0)

    cdef Status ask(self, Phase phase, int kind, int64_t third, int64_t fourth, int64_t fifth) noexcept nogil:
        """Put a question whose first two arguments are the bot's cards."""
        self.phase = phase
        self.decision.kind = kind
        self.decision.seat = X
        self.decision.arguments[0] = self.hands[X][0]
        self.decision.arguments[1] = self.hands[X][1]
        self.decision.arguments[2] = third
        self.decision.arguments[3] = fourth
        self.decision.arguments[4] = fifth
        self.decision.argument_count = 5 if kind == ROUND2 else 4 if kind == SHOWDOWN else 3
        return DECIDE

    cdef Status settle(self, int folded) noexcept nogil:
        """Record the hand now played, and the session with it when it ends. `folded`: 0 nobody, 1 x, 2 y."""
        cdef int64_t stake = ANTE + self.bets[0] * self.bet_sizes[0] + self.bets[1] * self.bet_sizes[1]
        cdef int64_t gain, pot
        cdef int64_t row = self.games_table.rows
        cdef int mine, other
        if folded:
            # The last bet was not matched.
            pot = 2 * stake - self.bet_sizes[self.round]
            gain = self.bet_sizes[self.round] - stake
            if folded == Y + 1:
                gain = -gain
        else:
            pot = 2 * stake
            mine = hand_rank(self.hands[X][0], self.hands[X][1])
            other = hand_rank(self.hands[Y][0], self.hands[Y][1])
            gain = stake if mine > other else -stake if mine < other else 0
        self.g_match[row] = self.match
        self.g_session[row] = self.first_session
        self.g_game[row] = <uint16_t>self.game
        self.g_x_dealt[row] = <uint8_t>self.dealt[X]
        self.g_y_dealt[row] = <uint8_t>self.dealt[Y]
        self.g_bets1[row] = <uint8_t>self.bets[0]
        self.g_x_opened1[row] = self.bets[0] > 0 and not self.y_opened[0]
        self.g_x_drew[row] = <uint8_t>self.drew[X]
        self.g_y_drew[row] = <uint8_t>self.drew[Y]
        self.g_x_held[row] = <uint8_t>(10 * self.hands[X][0] + self.hands[X][1])
        self.g_y_held[row] = <uint8_t>(10 * self.hands[Y][0] + self.hands[Y][1])
        self.g_bets2[row] = <uint8_t>self.bets[1]
        self.g_x_opened2[row] = self.bets[1] > 0 and not self.y_opened[1]
        self.g_rounds[row] = <uint8_t>(self.round + 1)
        self.g_folded[row] = <uint8_t>folded
        self.g_pot[row] = <uint8_t>pot
        self.g_x_gain[row] = <int8_t>gain
        self.games_table.rows = row + 1
        self.score_game(<double>gain)
        if self.game == self.games_per_session:
            self.finish_session()
        self.phase = START_HAND
        return self.start_hand()

    cdef void finish_session(self) noexcept nogil:
        cdef int64_t row = self.sessions_table.rows
        cdef int64_t score = <int64_t>self.session_points + self.games_per_session
        self.s_match[row] = self.match
        self.s_session[row] = self.first_session
        self.s_games[row] = <uint16_t>self.games_per_session
        self.s_x_gain[row] = <int32_t>self.session_points
        self.s_x_score[row] = <int32_t>(score if score > 0 else 0)
        self.sessions_table.rows = row + 1
        self.finish_scored_session()
