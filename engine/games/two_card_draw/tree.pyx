"""The game of two-card draw, from its start to its end and back, for the bot's values.

Cards are independent, and discards carry no information: a player needs only its hand and the public history. So a
value is a number for each of the bot's hands, summed over the server's hands by their reach. The reach is the
probability that the server holds a hand and has acted as it did so far.

In a round of betting the bot checks or bets. A player who faces bets folds, calls or raises, up to three bets. Each
player's decisions are numbered by the bets that it faces, 0 to 3. Raising at `bets` leads the other player to its
decision `bets + 1`, and its raise back to `bets + 2`. That is the complete tree. `follow` carries the server's reach
forward, and `decide_bets` brings values back.

The actions of a generated server are those in the problem TwoCardDraw of TopCoder's Marathon Match 14.
"""

cimport cython

from engine.games.two_card_draw.core cimport CALL, DRAW, FOLD, RAISE, ROUND1, ROUND2, history_number
from engine.games.two_card_draw.hands cimport (
    CHANCE,
    HIGH_CARD,
    RANK,
    Output,
    copy_hands,
    multiply,
    reach_by_draw,
    show_down,
    total_of,
    total_of_products,
    value_of_draw,
)


cdef int allowed(Question stage, int hand, int bets) noexcept:
    """Return the actions that a generated server can take, as bits: 1, 2 and 4 for the first, second and third."""
    cdef bint pair = hand >= 10
    cdef bint best = hand == HANDS - 1
    if stage == DRAW:
        # The best hand draws no card, and other pairs draw none or two. A hand with a four doesn't draw two.
        return 0b001 if best else 0b101 if pair else 0b011 if HIGH_CARD[hand] == 4 else 0b111
    if best and stage == ROUND2 and bets < 3:
        return 1 << RAISE
    return 1 << CALL | (bets > 0 and not best) << FOLD | (bets < 3) << RAISE


cdef void list_situations() noexcept:
    cdef Situation* at = SITUATION_OF_ROW
    cdef int number, history, x_drew, y_drew, bets
    for number in range(HANDS):
        for bets in range(4):
            at[0] = Situation(ROUND1, RANK[number], 0, 0, 0, bets, allowed(ROUND1, RANK[number], bets))
            at += 1
    for number in range(HANDS):
        for history in range(HISTORIES):
            for x_drew in range(3):
                at[0] = Situation(DRAW, RANK[number], history, x_drew, 0, 0, allowed(DRAW, RANK[number], 0))
                at += 1
    for number in range(HANDS):
        for history in range(HISTORIES):
            for x_drew in range(3):
                for y_drew in range(3):
                    for bets in range(4):
                        at[0] = Situation(
                            ROUND2, RANK[number], history, x_drew, y_drew, bets, allowed(ROUND2, RANK[number], bets)
                        )
                        at += 1


list_situations()


cdef inline int bets_of(int history) noexcept nogil:
    return history if history <= 3 else history - 3


cdef inline int ending(int bets, bint called_by_bot) noexcept nogil:
    """Return the number, among the HISTORIES, of a round that ends with this call, or check, of `bets` bets."""
    return history_number(bets, (bets & 1) == called_by_bot)


cdef void follow(const double* reach, Actions* acts, Betting* into) noexcept nogil:
    """Carry the reach of the server's hands through a round."""
    cdef const double* acting = reach
    cdef int bets
    for bets in range(4):
        if bets >= 2:
            acting = into.raised[bets - 2]
        multiply(acting, acts[bets][CALL], into.called[bets])
        if bets < 3:
            multiply(acting, acts[bets][RAISE], into.raised[bets])
            into.raised_in_all[bets] = total_of(into.raised[bets])
        if bets > 0:
            into.folded_in_all[bets] = total_of_products(acting, acts[bets][FOLD])


cdef void reach_of_endings(const Betting* server, const double** ends) noexcept nogil:
    """Write the reach of the server's hands at each end of a round."""
    cdef int bets
    for bets in range(4):
        ends[ending(bets, False)] = server.called[bets]
        if bets > 0:
            ends[ending(bets, True)] = server.raised[bets - 1]


@cython.final
cdef class DrawTree:
    """Both players' strategies, and the bot's values, for the bot's `mode` of decisions.

    Results are kept. After a change of the server's strategy, only those that depend on it are recomputed.
    """

    def __init__(self, double bet1, double bet2, double tremble):
        self.bet1 = bet1
        self.bet2 = bet2
        self.mode = TREMBLE
        self.tremble = tremble

    cdef void read_server(self, const double[:, ::1] rows) except *:
        """Read the server's strategy from rows in a file's order.

        Raises:
            ValueError: The strategy has another shape.
        """
        cdef int number, action
        cdef double* row
        if rows.shape[0] != SITUATIONS or rows.shape[1] != 3:
            raise ValueError(f"a strategy has {SITUATIONS} rows of 3")
        for number in range(SITUATIONS):
            row = self.row(&SITUATION_OF_ROW[number])
            for action in range(3):
                row[action * HANDS] = rows[number, action]

    cdef double* row(self, const Situation* at) noexcept nogil:
        """Return the address of the server's probability of a situation's first action.

        Those of the other actions follow at distances of HANDS.
        """
        if at.stage == ROUND1:
            return &self.server.round1[at.bets][0][at.hand]
        if at.stage == DRAW:
            return &self.server.drawing[at.history][at.x_drew][0][at.hand]
        return &self.server.round2[at.history][at.x_drew][at.y_drew][at.bets][0][at.hand]

    cdef double value(self) noexcept nogil:
        """Return the bot's win per hand, in chips."""
        cdef int history
        self.reach_round1()
        for history in range(HISTORIES):
            self.value_history(history)
        return self.value_round1()

    cdef void reach_round1(self) noexcept nogil:
        """Compute the server's reach at the ends of round 1."""
        cdef const double* ends[HISTORIES]
        cdef int history
        follow(CHANCE, self.server.round1, &self.round1)
        reach_of_endings(&self.round1, ends)
        for history in range(HISTORIES):
            copy_hands(self.after[history].reach, ends[history])

    cdef void value_history(self, int history) noexcept nogil:
        """Compute everything that follows one end of round 1."""
        cdef int x_drew, y_drew
        for x_drew in range(3):
            self.reach_draw(history, x_drew)
            for y_drew in range(3):
                self.value_round2(history, x_drew, y_drew)
            self.value_drawn(history, x_drew)
        self.value_before_draw(history)

    cdef void reach_draw(self, int history, int x_drew) noexcept nogil:
        """Compute the server's reach after the draw."""
        cdef After* here = &self.after[history]
        cdef double drawing[HANDS]
        cdef int y_drew
        for y_drew in range(3):
            multiply(here.reach, self.server.drawing[history][x_drew][y_drew], drawing)
            reach_by_draw(drawing, y_drew, here.reach_drawn[x_drew][y_drew])

    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil:
        """Compute the bot's values by its hand after the draw, in chips."""
        cdef After* here = &self.after[history]
        cdef double base = 1 + bets_of(history) * self.bet1
        cdef Betting betting
        cdef const double* ends[HISTORIES]
        cdef double shown[HISTORIES][HANDS]
        cdef int end
        follow(here.reach_drawn[x_drew][y_drew], self.server.round2[history][x_drew][y_drew], &betting)
        reach_of_endings(&betting, ends)
        for end in range(HISTORIES):
            show_down(ends[end], base + bets_of(end) * self.bet2, shown[end])
            ends[end] = shown[end]
        self.decide_bets(
            self.bot.round2[history][x_drew][y_drew], &betting, base, self.bet2, ends, here.round2[x_drew][y_drew]
        )

    cdef void value_drawn(self, int history, int x_drew) noexcept nogil:
        """Compute the bot's values by its hand before it draws `x_drew` cards, in chips."""
        cdef After* here = &self.after[history]
        cdef double values[HANDS]
        cdef int hand
        for hand in range(HANDS):
            values[hand] = here.round2[x_drew][0][hand] + here.round2[x_drew][1][hand] + here.round2[x_drew][2][hand]
        value_of_draw(values, x_drew, here.drawn[x_drew])

    cdef void value_before_draw(self, int history) noexcept nogil:
        cdef After* here = &self.after[history]
        self.decide(
            &self.bot.drawing[history][0][0][0], here.drawn[0], here.drawn[1], here.drawn[2], here.value
        )

    cdef double value_round1(self) noexcept nogil:
        cdef const double* ends[HISTORIES]
        cdef double values[HANDS]
        cdef int history
        for history in range(HISTORIES):
            ends[history] = self.after[history].value
        self.decide_bets(self.bot.round1, &self.round1, 1, self.bet1, ends, values)
        return total_of_products(CHANCE, values)

    cdef void decide_bets(
        self, Actions* own, const Betting* server, double base, double bet, const double** ends, double* values
    ) noexcept nogil:
        """Compute the bot's values of a round by its hand, in chips, given the values of the round's ends.

        Args:
            own: The bot's actions.
            server: The server's reach in the round.
            base: Chips that each player has paid before the round.
            bet: Size of a bet in chips.
            ends: Values of each end, by hand.
            values: Receives the values by hand.
        """
        cdef double chosen[4][HANDS]
        cdef double lost[HANDS]
        cdef double checked[HANDS]
        cdef double answered[HANDS]    # values of the server's answers to a raise
        cdef const double* call
        cdef const double* called
        cdef double won
        cdef int bets, hand
        for bets in range(3, -1, -1):
            if bets > 0:
                won = -(base + (bets - 1) * bet) * server.raised_in_all[bets - 1]
                for hand in range(HANDS):
                    lost[hand] = won
            call = ends[ending(bets, True)]
            if bets == 0:
                for hand in range(HANDS):
                    checked[hand] = call[hand] + chosen[1][hand]
                call = checked
            if bets < 3:
                won = (base + bets * bet) * server.folded_in_all[bets + 1]
                called = ends[ending(bets + 1, False)]
                if bets < 2:
                    for hand in range(HANDS):
                        answered[hand] = won + called[hand] + chosen[bets + 2][hand]
                else:
                    for hand in range(HANDS):
                        answered[hand] = won + called[hand]
            self.decide(
                &own[bets][0][0], lost if bets > 0 else NULL, call, answered if bets < 3 else NULL, chosen[bets]
            )
        copy_hands(values, chosen[0])

    cdef void decide(
        self, double* own, const double* first, const double* second, const double* third, double* values
    ) noexcept nogil:
        """Compute the values of a decision by hand, given those of its actions. Impossible actions are NULL."""
        if self.mode == TREMBLE:
            if first == NULL:
                tremble_of_two(self.tremble, second, third, values)
            elif third == NULL:
                tremble_of_two(self.tremble, first, second, values)
            else:
                tremble_of_three(self.tremble, first, second, third, values)
        else:
            take_the_best(first, second, third, values)


cdef inline void tremble_of_two(double tremble, const double* one, const double* other, Output values) noexcept nogil:
    cdef double best
    cdef int hand
    for hand in range(HANDS):
        best = one[hand] if one[hand] > other[hand] else other[hand]
        values[hand] = best + tremble * (one[hand] + other[hand] - 2 * best)


cdef inline void tremble_of_three(
    double tremble, const double* first, const double* second, const double* third, Output values
) noexcept nogil:
    cdef double best
    cdef int hand
    for hand in range(HANDS):
        best = first[hand] if first[hand] > second[hand] else second[hand]
        best = best if best > third[hand] else third[hand]
        values[hand] = best + tremble * (first[hand] + second[hand] + third[hand] - 3 * best)


cdef inline void take_the_best(
    const double* first, const double* second, const double* third, double* values
) noexcept nogil:
    cdef int hand
    for hand in range(HANDS):
        values[hand] = second[hand]
        if first != NULL and first[hand] > values[hand]:
            values[hand] = first[hand]
        if third != NULL and third[hand] > values[hand]:
            values[hand] = third[hand]
