# See draw_strategies.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t

from engine.two_card_draw cimport HANDS, HISTORIES, SITUATIONS

cdef enum Mode:
    TREMBLE     # the best action, but each other one with a small probability
    PERFECT     # the best action, which is noted
    FIXED       # as the actor's strategy says
    LEARN       # likewise; then regrets are updated and the strategy follows them

# What an actor does in one betting or drawing situation: [action][rank of his hand].
ctypedef double[3][HANDS] Actions

cdef struct Strategy:
    Actions round1[4]                           # by the bets faced; the bot opens at 0
    Actions drawing[HISTORIES][3]               # by what the other drew first; for the bot only [0]
    Actions round2[HISTORIES][3][3][4]          # by what bot and server drew, and the bets faced

cdef struct After:              # what comes after one ending of round 1; values are the bot's, times the server's reach
    double reach[HANDS]                         # of the server's hands before the draw
    double reach_drawn[3][3][HANDS]             # after it, by what bot and server drew
    double round2[3][3][HANDS]                  # value by the bot's hand after the draw
    double drawn[3][HANDS]                      # by what the bot draws and his hand before
    double value[HANDS]                         # by the bot's hand before the draw

cdef struct Situation:          # where a row of a strategy file stands
    int stage                                   # 1: round 1, 2: draw, 3: round 2
    int hand                                    # rank
    int history
    int x_drew
    int y_drew
    int bets
    int allowed                                 # bits of the actions that a generated strategy may take


@cython.final
cdef class Duel:
    cdef Strategy* server
    cdef Strategy* bot
    cdef Strategy* regrets[2]                   # of bot and server, while solving
    cdef Strategy* sums[2]                      # of their strategies, likewise
    cdef double weight                          # of the iteration in the sums
    cdef After after[HISTORIES]
    cdef After spare[HISTORIES]                 # as they were before a step
    cdef double folds[5]                        # the server's or the bot's folds in round 1: value to the bot
    cdef double spare_folds[5]
    cdef Mode mode
    cdef double tremble
    cdef double bet1
    cdef double bet2
    cdef double current                         # value to the bot, as last worked out
    cdef Situation* situations

    cdef void reach_round1(self) noexcept nogil
    cdef void reach_draw(self, int history, int x_drew) noexcept nogil
    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil
    cdef void value_drawn(self, int history, int x_drew) noexcept nogil
    cdef void value_history(self, int history) noexcept nogil
    cdef double value_start(self) noexcept nogil
    cdef double value_all(self) noexcept nogil
    cdef void refresh_history(self, int history) noexcept nogil
    cdef double refresh(self, const Situation* changed) noexcept nogil
    cdef double answer_all(self) noexcept nogil
    cdef void answer_history(self, int history, const double* reach, double* worth) noexcept nogil
    cdef void answer_round2(
        self, int history, int x_drew, int y_drew, const double* reach, double* values
    ) noexcept nogil
    cdef double perfect(self)
    cdef double* bot_row(self, int number) noexcept
    cdef void read_bot(self, const double[:, ::1] bot)
    cdef void keep(self, const Situation* changed) noexcept nogil
    cdef void bring_back(self, const Situation* changed) noexcept nogil
    cdef double* row(self, const Situation* at) noexcept nogil
