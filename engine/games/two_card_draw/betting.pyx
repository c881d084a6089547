"""A round of betting of two-card draw, the same for both rounds and seen from either side, and single decisions.

The bot checks or bets; a player who faces bets folds, calls or raises, up to three
bets. Each player's decisions are numbered by the bets that he faces, 0 to 3:
raising at `bets` leads the other to his decision `bets + 1`, and his raise back to
`bets + 2`. That is the whole tree. It is gone through twice: `follow` carries
the reach of one player's hands forward, the probability that he holds each and has acted so
far as he did, and `decide_bets` brings the other player's values back.

Regrets are those of CFR+ (Tammelin, "Solving large imperfect information games
using CFR+", 2014).
"""

from engine.games.two_card_draw.hands cimport Output, multiply, total_of, total_of_products
from engine.games.two_card_draw.situations cimport CALL, FOLD, RAISE


cdef void follow(
    const double* reach, Actions* acts, bint is_bot, Betting* into, double weight, Actions* sums
) noexcept nogil:
    """Carry the reach of a player's hands through a round, and add his strategy, weighted, to `sums` unless NULL."""
    cdef const double* acting
    cdef int bets
    for bets in range(4):
        if bets >= 2:
            acting = into.raised[bets - 2]
        elif bets == 1 and is_bot:
            acting = into.called[0]
        else:
            acting = reach
        multiply(acting, acts[bets][CALL], into.called[bets])
        if bets < 3:
            multiply(acting, acts[bets][RAISE], into.raised[bets])
            into.raised_in_all[bets] = total_of(into.raised[bets])
        if bets > 0:
            into.folded_in_all[bets] = total_of_products(acting, acts[bets][FOLD])
        if sums != NULL:
            add_weighted(weight, acting, &acts[bets][0][0], &sums[bets][0][0])


cdef void reach_of_endings(const Betting* other, bint is_bot, const double** ends) noexcept nogil:
    """The reach of the other player's hands at each end of a round, for the bot or the server."""
    cdef int bets
    for bets in range(4):
        ends[ending(bets, not is_bot)] = other.called[bets]    # or the bot's check, which the server may call
        if bets > 0:
            ends[ending(bets, is_bot)] = other.raised[bets - 1]


cdef void decide_bets(
    const Decider* how, bint is_bot, Actions* own, Actions* regrets,
    const Betting* other, double base, double bet, const double** ends, double* values,
) noexcept nogil:
    """A player's values of a round by his hand, from those of its ends.

    Values are summed over the other's hands by their reach. Each has put in `base`
    before the round. `regrets` are used only to learn.
    """
    cdef double chosen[4][HANDS]
    cdef double lost[HANDS]
    cdef double checked[HANDS]
    cdef double answered[HANDS]    # what the other's answers to a raise come to
    cdef const double* call
    cdef const double* called
    cdef double won
    cdef int bets, hand
    for bets in range(3, -1, -1):
        if bets > 0:
            won = -(base + (bets - 1) * bet) * other.raised_in_all[bets - 1]
            for hand in range(HANDS):
                lost[hand] = won
        call = ends[ending(bets, is_bot)]
        if bets == 0 and is_bot:
            for hand in range(HANDS):
                checked[hand] = call[hand] + chosen[1][hand]
            call = checked
        if bets < 3:
            won = (base + bets * bet) * other.folded_in_all[bets + 1]
            called = ends[ending(bets + 1, not is_bot)]
            if bets < 2:
                for hand in range(HANDS):
                    answered[hand] = won + called[hand] + chosen[bets + 2][hand]
            else:
                for hand in range(HANDS):
                    answered[hand] = won + called[hand]
        decide(
            how,
            &own[bets][0][0],
            &regrets[bets][0][0] if how.mode == LEARN else NULL,
            lost if bets > 0 else NULL,
            call,
            answered if bets < 3 else NULL,
            chosen[bets],
        )
    for hand in range(HANDS):
        # The server decides after a check or after a bet.
        values[hand] = chosen[0][hand] if is_bot else chosen[0][hand] + chosen[1][hand]


cdef void decide(
    const Decider* how, double* own, double* regrets,
    const double* first, const double* second, const double* third, double* values,
) noexcept nogil:
    """The values of a decision by hand, from those of its three actions; `first` or `third` is NULL if not possible.

    `own` and `regrets` are Actions.
    """
    if how.mode == TREMBLE:
        if first == NULL:
            tremble_of_two(how.tremble, second, third, values)
        elif third == NULL:
            tremble_of_two(how.tremble, first, second, values)
        else:
            tremble_of_three(how.tremble, first, second, third, values)
    elif how.mode == PERFECT:
        take_the_best(own, first, second, third, values)
    else:
        mix(own, first, second, third, values)
        if how.mode == LEARN:
            match_regrets(own, regrets, first, second, third, values)


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
    double* own, const double* first, const double* second, const double* third, double* values
) noexcept nogil:
    """Take the best action; of equal ones the second, then the first."""
    cdef int hand, action
    for hand in range(HANDS):
        action = 1
        values[hand] = second[hand]
        if first != NULL and first[hand] > values[hand]:
            action = 0
            values[hand] = first[hand]
        if third != NULL and third[hand] > values[hand]:
            action = 2
            values[hand] = third[hand]
        own[hand] = own[HANDS + hand] = own[2 * HANDS + hand] = 0
        own[action * HANDS + hand] = 1


cdef inline void mix(
    const double* own, const double* first, const double* second, const double* third, double* values
) noexcept nogil:
    cdef int hand
    for hand in range(HANDS):
        values[hand] = own[HANDS + hand] * second[hand]
    if first != NULL:
        for hand in range(HANDS):
            values[hand] += own[hand] * first[hand]
    if third != NULL:
        for hand in range(HANDS):
            values[hand] += own[2 * HANDS + hand] * third[hand]


cdef inline void match_regrets(
    double* own, double* regrets, const double* first, const double* second, const double* third, const double* values
) noexcept nogil:
    """Add each action's regret to the sum so far, 0 at least, and mix actions in proportion to the sums."""
    cdef const double* actions[3]
    cdef double total
    cdef int hand, action
    actions[0] = first
    actions[1] = second
    actions[2] = third
    for action in range(3):
        if actions[action] == NULL:
            continue
        for hand in range(HANDS):
            regrets[action * HANDS + hand] = max(
                0.0, regrets[action * HANDS + hand] + actions[action][hand] - values[hand]
            )
    for hand in range(HANDS):
        total = regrets[hand] + regrets[HANDS + hand] + regrets[2 * HANDS + hand]
        if total > 0:
            for action in range(3):
                own[action * HANDS + hand] = regrets[action * HANDS + hand] / total


cdef void add_weighted(double weight, const double* reach, double* acts, double* sums) noexcept nogil:
    cdef int action, hand
    for action in range(3):
        for hand in range(HANDS):
            sums[action * HANDS + hand] += weight * reach[hand] * acts[action * HANDS + hand]
