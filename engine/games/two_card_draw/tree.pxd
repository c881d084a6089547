# See tree.pyx for details.

cimport cython

from engine.games.two_card_draw.betting cimport Actions, Betting, Decider
from engine.games.two_card_draw.situations cimport Situation
from engine.games.two_card_draw.core cimport HANDS, HISTORIES

cdef enum:
    SERVER
    BOT

cdef struct Strategy:                           # of a server or a bot
    Actions round1[4]                           # by the bets faced; the bot opens at 0
    Actions drawing[HISTORIES][3]               # by what the bot drew; for the bot itself only [0]
    Actions round2[HISTORIES][3][3][4]          # by what bot and server drew, and the bets faced

cdef struct After:                              # what follows one ending of round 1
    double reach[HANDS]                         # of the server's hands before the draw
    double reach_drawn[3][3][HANDS]             # after it, by what bot and server drew
    double round2[3][3][HANDS]                  # the bot's value by his hand after the draw
    double drawn[3][HANDS]                      # by what the bot draws and his hand before
    double value[HANDS]                         # by the bot's hand before the draw


@cython.final
cdef class DrawTree:
    cdef Strategy* players[2]
    cdef Strategy* regrets[2]                   # NULL unless they learn
    cdef Strategy* sums[2]                      # of their strategies, weighted; likewise
    cdef double weight                          # of their strategies now
    cdef Decider decider
    cdef double bet1
    cdef double bet2
    cdef Betting round1                         # the server's
    cdef After after[HISTORIES]

    cdef double* row(self, const Situation* at) noexcept nogil
    cdef void learn(self) except *
    cdef double value(self) noexcept nogil
    cdef double answer(self) noexcept nogil
    cdef void reach_round1(self) noexcept nogil
    cdef void value_history(self, int history) noexcept nogil
    cdef void reach_draw(self, int history, int x_drew) noexcept nogil
    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil
    cdef void value_drawn(self, int history, int x_drew) noexcept nogil
    cdef void value_before_draw(self, int history) noexcept nogil
    cdef double value_round1(self) noexcept nogil
    cdef void answer_history(self, int history, const double* reach, double* values) noexcept nogil
    cdef void decide_round2(
        self, int player, int history, int x_drew, int y_drew, const double* reach, double* values
    ) noexcept nogil
    cdef double decide_round1(self, int player, const Betting* betting, const double** ends) noexcept nogil

cdef void read_server(Strategy* into, const double[:, ::1] rows) except *
cdef object server_rows(Strategy* strategy)
