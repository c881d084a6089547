# See betting.pyx for details.

from engine.games.two_card_draw.core cimport HANDS, HISTORIES, history_number

cdef enum Mode:
    TREMBLE     # the best action, but each other one with a small probability
    PERFECT     # the best action, which becomes the strategy
    FIXED       # as the strategy says
    LEARN       # likewise; then regrets are updated, and the strategy matches them

# What a player does in one betting or drawing situation: [action][hand].
ctypedef double[3][HANDS] Actions

cdef struct Betting:            # the reach of one player's hands in a round of betting, by the bets that he faces
    double raised[3][HANDS]     # after his raise, or bet
    double called[4][HANDS]     # after his call, or check
    double raised_in_all[3]     # all hands together
    double folded_in_all[4]     # after his fold, likewise

cdef struct Decider:            # how a player decides
    Mode mode
    double tremble              # the probability of each wrong action, where he trembles

cdef inline int ending(int bets, bint called_by_bot) noexcept nogil:
    """Which of the HISTORIES of a round ends with this call, or check, of so many bets."""
    return history_number(bets, (bets & 1) == called_by_bot)

cdef void follow(
    const double* reach, Actions* acts, bint is_bot, Betting* into, double weight, Actions* sums
) noexcept nogil
cdef void reach_of_endings(const Betting* other, bint is_bot, const double** ends) noexcept nogil
cdef void decide_bets(
    const Decider* how, bint is_bot, Actions* own, Actions* regrets,
    const Betting* other, double base, double bet, const double** ends, double* values,
) noexcept nogil
cdef void decide(
    const Decider* how, double* own, double* regrets,
    const double* first, const double* second, const double* third, double* values,
) noexcept nogil
cdef void add_weighted(double weight, const double* reach, double* acts, double* sums) noexcept nogil
