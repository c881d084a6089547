# See tree.pyx for details.

cimport cython

from engine.games.two_card_draw.core cimport HISTORIES, SITUATIONS, Question
from engine.games.two_card_draw.hands cimport HANDS

# What a player does in one betting or drawing situation: [action][hand]. Hands are by rank.
ctypedef double[3][HANDS] Actions

cdef struct Strategy:                           # strategy of a server or a bot
    Actions round1[4]                           # indexed by the bets faced, 0 when the bot opens
    Actions drawing[HISTORIES][3]               # indexed by the bot's draw, only [0] for the bot itself
    Actions round2[HISTORIES][3][3][4]          # indexed by the draws of bot and server, and the bets faced

cdef struct Situation:                          # situation of a server, in the order of a strategy file
    Question stage                              # ROUND1, DRAW or ROUND2
    int hand
    int history                                 # how round 1 ended; like the next two, 0 where the stage comes before
    int x_drew
    int y_drew
    int bets                                    # faced; 0 for a draw
    int allowed                                 # bits of the actions that a generated strategy may take

cdef Situation SITUATION_OF_ROW[SITUATIONS]

cdef enum Mode:                                 # how the bot decides
    TREMBLE                                     # the best action, but each other one with a small probability
    PERFECT                                     # the best action

cdef struct Betting:                            # the reach of the server's hands in a round, by the bets that he faces
    double raised[3][HANDS]                     # reach after his raise, or bet
    double called[4][HANDS]                     # reach after his call, or check
    double raised_in_all[3]                     # all hands together
    double folded_in_all[4]                     # sum after his fold

cdef struct After:                              # what follows one ending of round 1
    double reach[HANDS]                         # reach of the server's hands before the draw
    double reach_drawn[3][3][HANDS]             # reach after it, by the draws of bot and server
    double round2[3][3][HANDS]                  # the bot's value by his hand after the draw
    double drawn[3][HANDS]                      # value by the bot's draw and his hand before
    double value[HANDS]                         # value by the bot's hand before the draw


@cython.final
cdef class DrawTree:
    cdef Strategy server
    cdef Strategy bot
    cdef Mode mode
    cdef double tremble                         # the probability of each wrong action, where the bot trembles
    cdef double bet1
    cdef double bet2
    cdef Betting round1
    cdef After after[HISTORIES]

    cdef void read_server(self, const double[:, ::1] rows) except *
    cdef double* row(self, const Situation* at) noexcept nogil
    cdef double value(self) noexcept nogil
    cdef void reach_round1(self) noexcept nogil
    cdef void value_history(self, int history) noexcept nogil
    cdef void reach_draw(self, int history, int x_drew) noexcept nogil
    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil
    cdef void value_drawn(self, int history, int x_drew) noexcept nogil
    cdef void value_before_draw(self, int history) noexcept nogil
    cdef double value_round1(self) noexcept nogil
    cdef void decide_bets(
        self, Actions* own, const Betting* server, double base, double bet, const double** ends, double* values
    ) noexcept nogil
    cdef void decide(
        self, double* own, const double* first, const double* second, const double* third, double* values
    ) noexcept nogil
