"""The game of two-card draw, gone through from its start to its end and back, for either player's values.

Cards are independent, and what was discarded tells nothing: a player needs
his hand and the public history only. So a value is a number for each of his hands, summed
over the other's hands by their reach (see `betting`).
"""

cimport cython
from libc.stdlib cimport calloc, free

from engine.games.two_card_draw.betting cimport TREMBLE, add_weighted, decide, decide_bets, follow, reach_of_endings
from engine.games.two_card_draw.hands cimport (
    CHANCE,
    copy_hands,
    multiply,
    reach_by_draw,
    show_down,
    total_of_products,
    value_of_draw,
)
from engine.games.two_card_draw.situations cimport DRAW, ROUND1, Situation, situations
from engine.games.two_card_draw.core cimport SITUATIONS

import numpy as np


cdef double* row_of(Strategy* strategy, const Situation* at) noexcept nogil:
    """The probability of a situation's first action; the others come HANDS further on each."""
    if at.stage == ROUND1:
        return &strategy.round1[at.bets][0][at.hand]
    if at.stage == DRAW:
        return &strategy.drawing[at.history][at.x_drew][0][at.hand]
    return &strategy.round2[at.history][at.x_drew][at.y_drew][at.bets][0][at.hand]


cdef void read_server(Strategy* into, const double[:, ::1] rows) except *:
    """Take a server's strategy from rows in a file's order. Raises ValueError for another shape."""
    cdef int number, action
    cdef double* row
    if rows.shape[0] != SITUATIONS or rows.shape[1] != 3:
        raise ValueError(f"a strategy has {SITUATIONS} rows of 3")
    for number in range(SITUATIONS):
        row = row_of(into, &situations()[number])
        for action in range(3):
            row[action * HANDS] = rows[number, action]


cdef object server_rows(Strategy* strategy):
    """A server's strategy as rows in a file's order."""
    cdef int number, action
    cdef double* row
    found = np.zeros((SITUATIONS, 3))
    cdef double[:, ::1] rows = found
    for number in range(SITUATIONS):
        row = row_of(strategy, &situations()[number])
        for action in range(3):
            rows[number, action] = row[action * HANDS]
    return found


cdef inline int bets_of(int history) noexcept nogil:
    return history if history <= 3 else history - 3


@cython.final
cdef class DrawTree:
    """Both players' strategies, and values that follow from them.

    `decider` says how the player decides whose values are asked for. What is
    worked out for the bot is kept, so that after a change of the server's
    strategy only what depends on it need be worked out again.
    """

    def __cinit__(self):
        cdef int player
        for player in range(2):
            self.players[player] = <Strategy*>calloc(1, sizeof(Strategy))
            if self.players[player] == NULL:
                raise MemoryError

    def __init__(self, double bet1, double bet2, double tremble):
        self.bet1 = bet1
        self.bet2 = bet2
        self.decider.mode = TREMBLE
        self.decider.tremble = tremble

    def __dealloc__(self):
        cdef int player
        for player in range(2):
            free(self.players[player])
            free(self.regrets[player])
            free(self.sums[player])

    cdef void learn(self) except *:
        """Make room for regrets and sums, all 0."""
        cdef int player
        for player in range(2):
            free(self.regrets[player])
            free(self.sums[player])
            self.regrets[player] = <Strategy*>calloc(1, sizeof(Strategy))
            self.sums[player] = <Strategy*>calloc(1, sizeof(Strategy))
            if self.regrets[player] == NULL or self.sums[player] == NULL:
                raise MemoryError

    cdef double* row(self, const Situation* at) noexcept nogil:
        """The server's probability of a situation's first action; the others come HANDS further on each."""
        return row_of(self.players[SERVER], at)

    # The bot's values.

    cdef double value(self) noexcept nogil:
        """What the bot wins per hand, deciding by `decider`, against the server's strategy."""
        cdef int history
        self.reach_round1()
        for history in range(HISTORIES):
            self.value_history(history)
        return self.value_round1()

    cdef void reach_round1(self) noexcept nogil:
        """The server's reach at the ends of round 1."""
        cdef const double* ends[HISTORIES]
        cdef Strategy* sums = self.sums[SERVER]
        cdef int history
        follow(
            CHANCE, self.players[SERVER].round1, False, &self.round1, self.weight, sums.round1 if sums else NULL
        )
        reach_of_endings(&self.round1, True, ends)
        for history in range(HISTORIES):
            copy_hands(self.after[history].reach, ends[history])

    cdef void value_history(self, int history) noexcept nogil:
        """Work out all that follows one ending of round 1."""
        cdef int x_drew, y_drew
        for x_drew in range(3):
            self.reach_draw(history, x_drew)
            for y_drew in range(3):
                self.value_round2(history, x_drew, y_drew)
            self.value_drawn(history, x_drew)
        self.value_before_draw(history)

    cdef void reach_draw(self, int history, int x_drew) noexcept nogil:
        """The server's reach after the draw."""
        cdef After* here = &self.after[history]
        cdef Actions* acts = &self.players[SERVER].drawing[history][x_drew]
        cdef double drawing[HANDS]
        cdef int y_drew
        if self.sums[SERVER] != NULL:
            add_weighted(
                self.weight, here.reach, &acts[0][0][0], &self.sums[SERVER].drawing[history][x_drew][0][0]
            )
        for y_drew in range(3):
            multiply(here.reach, acts[0][y_drew], drawing)
            reach_by_draw(drawing, y_drew, here.reach_drawn[x_drew][y_drew])

    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil:
        """The bot's values by his hand after the draw."""
        cdef After* here = &self.after[history]
        self.decide_round2(
            BOT, history, x_drew, y_drew, here.reach_drawn[x_drew][y_drew], here.round2[x_drew][y_drew]
        )

    cdef void value_drawn(self, int history, int x_drew) noexcept nogil:
        """The bot's values by his hand before he draws so many cards."""
        cdef After* here = &self.after[history]
        cdef double values[HANDS]
        cdef int hand
        for hand in range(HANDS):
            values[hand] = here.round2[x_drew][0][hand] + here.round2[x_drew][1][hand] + here.round2[x_drew][2][hand]
        value_of_draw(values, x_drew, here.drawn[x_drew])

    cdef void value_before_draw(self, int history) noexcept nogil:
        cdef After* here = &self.after[history]
        decide(
            &self.decider,
            &self.players[BOT].drawing[history][0][0][0],
            &self.regrets[BOT].drawing[history][0][0][0] if self.regrets[BOT] else NULL,
            here.drawn[0],
            here.drawn[1],
            here.drawn[2],
            here.value,
        )

    cdef double value_round1(self) noexcept nogil:
        cdef const double* ends[HISTORIES]
        cdef int history
        for history in range(HISTORIES):
            ends[history] = self.after[history].value
        return self.decide_round1(BOT, &self.round1, ends)

    # The server's values.

    cdef double answer(self) noexcept nogil:
        """What the server wins per hand, deciding by `decider`, against the bot's strategy."""
        cdef Strategy* sums = self.sums[BOT]
        cdef Betting betting
        cdef const double* ends[HISTORIES]
        cdef double after[HISTORIES][HANDS]
        cdef int history
        follow(CHANCE, self.players[BOT].round1, True, &betting, self.weight, sums.round1 if sums else NULL)
        reach_of_endings(&betting, False, ends)
        for history in range(HISTORIES):
            self.answer_history(history, ends[history], after[history])
            ends[history] = after[history]
        return self.decide_round1(SERVER, &betting, ends)

    cdef void answer_history(self, int history, const double* reach, double* values) noexcept nogil:
        """Values by the server's hand before the draw, after an ending of round 1; `reach` is the bot's there."""
        cdef Actions* drawing = &self.players[BOT].drawing[history][0]
        cdef double drawn[HANDS]
        cdef double after[HANDS]
        cdef double drawing_so[HANDS]
        cdef double by_draw[3][HANDS]
        cdef double decided[HANDS]
        cdef int x_drew, y_drew, hand
        if self.sums[BOT] != NULL:
            add_weighted(self.weight, reach, &drawing[0][0][0], &self.sums[BOT].drawing[history][0][0][0])
        for hand in range(HANDS):
            values[hand] = 0
        for x_drew in range(3):
            multiply(reach, drawing[0][x_drew], drawing_so)
            reach_by_draw(drawing_so, x_drew, drawn)
            for y_drew in range(3):
                self.decide_round2(SERVER, history, x_drew, y_drew, drawn, after)
                value_of_draw(after, y_drew, by_draw[y_drew])
            decide(
                &self.decider,
                &self.players[SERVER].drawing[history][x_drew][0][0],
                &self.regrets[SERVER].drawing[history][x_drew][0][0] if self.regrets[SERVER] else NULL,
                by_draw[0],
                by_draw[1],
                by_draw[2],
                decided,
            )
            for hand in range(HANDS):
                values[hand] += decided[hand]

    cdef void decide_round2(
        self, int player, int history, int x_drew, int y_drew, const double* reach, double* values
    ) noexcept nogil:
        """A player's values by his hand after the draw, where the other's hands have this reach."""
        cdef Strategy* others = self.players[not player]
        cdef Strategy* sums = self.sums[not player]
        cdef Strategy* regrets = self.regrets[player]
        cdef double base = 1 + bets_of(history) * self.bet1
        cdef Betting betting
        cdef const double* ends[HISTORIES]
        cdef double shown[HISTORIES][HANDS]
        cdef int end
        follow(
            reach,
            others.round2[history][x_drew][y_drew],
            player == SERVER,
            &betting,
            self.weight,
            sums.round2[history][x_drew][y_drew] if sums else NULL,
        )
        reach_of_endings(&betting, player == BOT, ends)
        for end in range(HISTORIES):
            show_down(ends[end], base + bets_of(end) * self.bet2, shown[end])
            ends[end] = shown[end]
        decide_bets(
            &self.decider,
            player == BOT,
            self.players[player].round2[history][x_drew][y_drew],
            regrets.round2[history][x_drew][y_drew] if regrets else NULL,
            &betting,
            base,
            self.bet2,
            ends,
            values,
        )

    cdef double decide_round1(self, int player, const Betting* betting, const double** ends) noexcept nogil:
        """What a player wins per hand, from the values of the ends of round 1."""
        cdef Strategy* regrets = self.regrets[player]
        cdef double values[HANDS]
        decide_bets(
            &self.decider,
            player == BOT,
            self.players[player].round1,
            regrets.round1 if regrets else NULL,
            betting,
            1,
            self.bet1,
            ends,
            values,
        )
        return total_of_products(CHANCE, values)
