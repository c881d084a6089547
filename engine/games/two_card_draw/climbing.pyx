"""Servers of two-card draw by hill climbing, as the problem TwoCardDraw (TopCoder, Marathon Match 14) makes them."""

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.kernel.deals cimport Key, Stream, read_key, start_stream, stream_word
from engine.games.two_card_draw.core cimport DRAW, HISTORIES, ROUND1, SITUATIONS
from engine.games.two_card_draw.hands cimport HANDS, copy_hands
from engine.games.two_card_draw.tree cimport SITUATION_OF_ROW, After, Betting, DrawTree, Situation

import numpy as np


cdef void propose(const Situation* at, Stream* stream, uint64_t number, double* chances) noexcept nogil:
    """Draw a uniform point on the simplex of the allowed actions: the gaps between sorted uniform numbers."""
    cdef double u = <double>(stream_word(stream, 2 * number) >> 11) * (1.0 / 9007199254740992.0)
    cdef double v = <double>(stream_word(stream, 2 * number + 1) >> 11) * (1.0 / 9007199254740992.0)
    chances[0] = chances[1] = chances[2] = 0
    if at.allowed == 0b111:
        chances[0] = min(u, v)
        chances[1] = max(u, v) - min(u, v)
        chances[2] = 1 - max(u, v)
    elif at.allowed == 0b011:
        chances[0] = u
        chances[1] = 1 - u
    elif at.allowed == 0b101:
        chances[0] = u
        chances[2] = 1 - u
    elif at.allowed == 0b110:
        chances[1] = u
        chances[2] = 1 - u
    else:
        chances[at.allowed >> 1] = 1    # the only one


cdef int open_stream(Stream* stream, seed, uint64_t number) except -1:
    """Start the stream of this number of a seed below 2^256, which is its key.

    Raises:
        OverflowError: The seed is negative or too large.
    """
    cdef Key key
    read_key(&key, int(seed).to_bytes(32, "little"))
    start_stream(stream, &key, number)
    return 0


def random_strategy(seed):
    """Return the start of climbing: in each situation a uniform point on the simplex of its allowed actions.

    Args:
        seed: Integer from 0 to below 2^256.

    Returns:
        Probabilities by situation and action.

    Raises:
        OverflowError: The seed is negative or too large.
    """
    cdef Stream stream
    open_stream(&stream, seed, 0)
    strategy = np.zeros((SITUATIONS, 3))
    cdef double[:, ::1] rows = strategy
    cdef int number
    for number in range(SITUATIONS):
        propose(&SITUATION_OF_ROW[number], &stream, number, &rows[number, 0])
    return strategy


cdef inline bint affects(int bets, int history) noexcept nogil:
    """Return whether the server's action in round 1, facing these bets, changes its reach at that end of the round."""
    if bets == 0:
        return history == 0 or history >= 4
    if bets == 1:
        return 1 <= history <= 3
    if bets == 2:
        return history >= 5
    return history == 3


@cython.final
cdef class HillClimber:
    """A server's strategy that improves step by step.

    Args:
        strategy: SITUATION_COUNT rows of three probabilities in a strategy file's order.
        bet1: Bet of round 1, in chips.
        bet2: Bet of round 2, in chips.
        tremble: Probability of each wrong action of the trembling opponent.

    Raises:
        ValueError: The strategy has another shape.
    """

    cdef DrawTree tree
    cdef double current                 # the trembling opponent's expectation
    # Values to restore if a step is undone.
    cdef Betting kept_round1
    cdef After kept_after[HISTORIES]

    def __init__(self, const double[:, ::1] strategy, double bet1, double bet2, double tremble=0.001):
        self.tree = DrawTree(bet1, bet2, tremble)
        self.tree.read_server(strategy)
        self.current = self.tree.value()

    def trembling_value(self):
        """Return the server's win per hand against the trembling opponent, in chips."""
        return -self.current

    def strategy(self):
        """Return the server's current strategy: probabilities by situation and action."""
        cdef int number, action
        found = np.zeros((SITUATIONS, 3))
        cdef double[:, ::1] rows = found
        for number in range(SITUATIONS):
            for action in range(3):
                rows[number, action] = self.tree.row(&SITUATION_OF_ROW[number])[action * HANDS]
        return found

    def climb(self, seed, int64_t first_step, int64_t steps):
        """Take steps, which cycle over the situations, and return the number of kept proposals.

        Each step proposes a random distribution for its situation, and keeps it if the trembling value increases. Only
        the values that the situation affects are recomputed.

        Args:
            seed: Integer from 0 to below 2^256.
            first_step: Number of the first step.
            steps: Number of steps.

        Raises:
            OverflowError: The seed is negative or too large.
        """
        cdef Stream stream
        open_stream(&stream, seed, 1)
        cdef int64_t step
        cdef int64_t kept = 0
        cdef const Situation* at
        cdef double proposed[3]
        cdef double before[3]
        cdef double* row
        cdef double value
        cdef int action
        with nogil:
            for step in range(first_step, first_step + steps):
                at = &SITUATION_OF_ROW[step % SITUATIONS]
                if at.allowed & (at.allowed - 1) == 0:
                    continue    # there is no choice
                propose(at, &stream, <uint64_t>step, proposed)
                row = self.tree.row(at)
                for action in range(3):
                    before[action] = row[action * HANDS]
                    row[action * HANDS] = proposed[action]
                self.keep(at)
                value = self.refresh(at)
                if value < self.current:
                    self.current = value
                    kept += 1
                    continue
                for action in range(3):
                    row[action * HANDS] = before[action]
                self.bring_back(at)
        return kept

    cdef double refresh(self, const Situation* changed) noexcept nogil:
        """Return the opponent's expectation, in chips, after the server has changed its actions in a situation."""
        cdef int history, y_drew
        if changed.stage == ROUND1:
            self.tree.reach_round1()
            for history in range(HISTORIES):
                if affects(changed.bets, history):
                    self.tree.value_history(history)
            return self.tree.value_round1()
        if changed.stage == DRAW:
            self.tree.reach_draw(changed.history, changed.x_drew)
            for y_drew in range(3):
                self.tree.value_round2(changed.history, changed.x_drew, y_drew)
        else:
            self.tree.value_round2(changed.history, changed.x_drew, changed.y_drew)
        self.tree.value_drawn(changed.history, changed.x_drew)
        self.tree.value_before_draw(changed.history)
        return self.tree.value_round1()

    cdef void keep(self, const Situation* changed) noexcept nogil:
        """Keep the values that `refresh` will overwrite."""
        cdef int history
        if changed.stage == ROUND1:
            self.kept_round1 = self.tree.round1
            for history in range(HISTORIES):
                if affects(changed.bets, history):
                    self.kept_after[history] = self.tree.after[history]
        else:
            copy_after(&self.kept_after[changed.history], &self.tree.after[changed.history], changed)

    cdef void bring_back(self, const Situation* changed) noexcept nogil:
        """Undo what `refresh` wrote since `keep`."""
        cdef int history
        if changed.stage == ROUND1:
            self.tree.round1 = self.kept_round1
            for history in range(HISTORIES):
                if affects(changed.bets, history):
                    self.tree.after[history] = self.kept_after[history]
        else:
            copy_after(&self.tree.after[changed.history], &self.kept_after[changed.history], changed)


cdef inline void copy_after(After* into, const After* values, const Situation* changed) noexcept nogil:
    """Copy the values that a situation after round 1 affects."""
    cdef int x_drew = changed.x_drew
    if changed.stage == DRAW:
        into[0] = values[0]
    else:
        copy_hands(into.round2[x_drew][changed.y_drew], values.round2[x_drew][changed.y_drew])
        copy_hands(into.drawn[x_drew], values.drawn[x_drew])
        copy_hands(into.value, values.value)
