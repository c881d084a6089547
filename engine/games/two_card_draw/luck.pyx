"""Two-card draw as the bot sees it: what each of its actions is worth against a server, and what it chose in a session.

A betting round ends in one of HISTORIES ways, numbered as in a strategy file: nobody bet, or one to three bets with the
bot opening, or with the server opening. The bot is asked where it faces 0 to 3 bets: 0 first, then 2 if it opened,
else 1 and 3. Its situations have the numbers that the server's have in the same place; where it draws, that of a
server whose opponent drew none.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from engine.games.two_card_draw.betting cimport ending
from engine.games.two_card_draw.situations cimport CALL, FOLD, RAISE
from engine.games.two_card_draw.core cimport (
    HANDS,
    HISTORIES,
    SITUATIONS,
    draw_situation,
    hand_number,
    history_number,
    round1_situation,
    round2_situation,
)

LINES = HISTORIES * 9  # of play before round 2: how round 1 ended, then what the bot drew, then the server

cdef enum:
    C_LINES = 63
    MOST_BETS = 3


cdef double betting_round(
    const double* acts, const double* ends, double before, double size, const double* shares, double* worth, int stride
) noexcept nogil:
    """The value of a round of betting to the bot with one hand; `worth` becomes that of each action.

    `acts`: of the server facing 0 to 3 bets, 3 chances each. `ends`: what the round's ends are worth, `stride` apart.
    `before`: what each has put in. `shares` and `worth` have 3 for each of 0 to 3 bets that the bot faces.
    """
    cdef double value[4]
    cdef int faced, action
    cdef double total
    for faced in range(3, -1, -1):
        if faced:
            worth[3 * faced + FOLD] = -(before + (faced - 1) * size)
            worth[3 * faced + CALL] = ends[stride * ending(faced, True)]
        else:
            worth[FOLD] = 0
            worth[CALL] = acts[CALL] * ends[0] + acts[RAISE] * value[1]
        if faced == 3:
            worth[3 * faced + RAISE] = 0
        else:
            worth[3 * faced + RAISE] = (
                acts[3 * (faced + 1) + FOLD] * (before + faced * size)
                + acts[3 * (faced + 1) + CALL] * ends[stride * ending(faced + 1, False)]
            )
            if faced < 2:
                worth[3 * faced + RAISE] += acts[3 * (faced + 1) + RAISE] * value[faced + 2]
        total = 0
        for action in range(3):
            total += shares[3 * faced + action] * worth[3 * faced + action]
        value[faced] = total
    return value[0]


def value_actions(
    const double[:, :, ::1] acts,
    const double[:, :, ::1] shows,
    const double[:, :, ::1] draws,
    const double[:, :, ::1] exchanges,
    const double[::1] chances,
    double bet1,
    double bet2,
    const double[:, ::1] shares,
    double[:, ::1] advantages,
):
    """The value of a hand to a bot that acts by these shares; `advantages` get each action's less its situation's.

    `acts`: chances of the server's actions by line of play (round 1 last) and bets faced, as the bot sees it.
    `shows`: what the bot expects of showdowns, by line, end of round 2 and its hand. `draws`: chances of how many cards
    the server draws, by history and by how many the bot does. `exchanges`: chances of hands after drawing so many, by
    hand. `chances`: of hands. `shares` and `advantages`: a row of 3 for each of SITUATIONS. Raises ValueError for
    other shapes.
    """
    cdef double opened[C_LINES][HANDS]
    cdef double ended[HISTORIES][HANDS]
    cdef double after[HANDS]
    cdef double worth[12]
    cdef double total = 0
    cdef double value, mean, before
    cdef int line, hand, new, history, drew, other, row, action
    if not (
        acts.shape[0] == C_LINES + 1 and acts.shape[1] == 4 and acts.shape[2] == 3
        and shows.shape[0] == C_LINES and shows.shape[1] == HISTORIES and shows.shape[2] == HANDS
        and draws.shape[0] == HISTORIES and draws.shape[1] == 3 and draws.shape[2] == 3
        and exchanges.shape[0] == 3 and exchanges.shape[1] == HANDS and exchanges.shape[2] == HANDS
        and chances.shape[0] == HANDS
        and shares.shape[0] == SITUATIONS and shares.shape[1] == 3
        and advantages.shape[0] == SITUATIONS and advantages.shape[1] == 3
    ):
        raise ValueError("another shape")
    with nogil:
        for line in range(C_LINES):
            history = line // 9
            before = 1 + (history - 3 if history > 3 else history) * bet1
            for hand in range(HANDS):
                row = round2_situation(hand, history, line // 3 % 3, line % 3, 0)
                value = betting_round(
                    &acts[line, 0, 0], &shows[line, 0, hand], before, bet2, &shares[row, 0], worth, HANDS
                )
                opened[line][hand] = value
                subtract_means(&shares[row, 0], worth, 4, &advantages[row, 0])
        for history in range(HISTORIES):
            for drew in range(3):
                for new in range(HANDS):
                    after[new] = 0
                    for other in range(3):
                        after[new] += draws[history, drew, other] * opened[(history * 3 + drew) * 3 + other][new]
                for hand in range(HANDS):
                    value = 0
                    for new in range(HANDS):
                        value += exchanges[drew, hand, new] * after[new]
                    advantages[draw_situation(hand, history, 0), drew] = value
            for hand in range(HANDS):
                row = draw_situation(hand, history, 0)
                for action in range(3):
                    worth[action] = advantages[row, action]
                mean = subtract_means(&shares[row, 0], worth, 1, &advantages[row, 0])
                ended[history][hand] = mean
        for hand in range(HANDS):
            row = round1_situation(hand, 0)
            value = betting_round(&acts[C_LINES, 0, 0], &ended[0][hand], 1, bet1, &shares[row, 0], worth, HANDS)
            subtract_means(&shares[row, 0], worth, 4, &advantages[row, 0])
            total += chances[hand] * value
    return total


cdef double subtract_means(const double* shares, const double* worth, int count, double* into) noexcept nogil:
    """Write each action's worth above the mean of its situation; returns the first situation's mean."""
    cdef int situation, action
    cdef double mean, first = 0
    for situation in range(count):
        mean = 0
        for action in range(3):
            mean += shares[3 * situation + action] * worth[3 * situation + action]
        for action in range(3):
            into[3 * situation + action] = worth[3 * situation + action] - mean
        if situation == 0:
            first = mean
    return first


def share_actions(const int32_t[:, ::1] counts, double general, double special, double[:, ::1] shares):
    """Estimate how often the bot takes each action: `shares` and `counts` have a row of 3 for each situation.

    A situation gets `special` more actions, shared like all those with the same cards facing as many bets, over all
    lines of play; before, these get `general` more of each allowed action. Raises ValueError for other shapes.
    """
    cdef double pooled[3]
    cdef int hand, faced, line, row
    if not (counts.shape[0] == shares.shape[0] == SITUATIONS and counts.shape[1] == shares.shape[1] == 3):
        raise ValueError("another shape")
    with nogil:
        for hand in range(HANDS):
            for faced in range(4):
                row = round1_situation(hand, faced)
                pool_begins(pooled, faced, general)
                share(&counts[row, 0], pooled, special, &shares[row, 0])
                pool_begins(pooled, faced, general)
                for line in range(C_LINES):
                    pool_adds(pooled, &counts[round2_situation(hand, 0, 0, 0, faced) + 4 * line, 0])
                for line in range(C_LINES):
                    row = round2_situation(hand, 0, 0, 0, faced) + 4 * line
                    share(&counts[row, 0], pooled, special, &shares[row, 0])
            pool_begins(pooled, 1, general)
            for line in range(HISTORIES):
                pool_adds(pooled, &counts[draw_situation(hand, line, 0), 0])
            for line in range(HISTORIES):
                row = draw_situation(hand, line, 0)
                share(&counts[row, 0], pooled, special, &shares[row, 0])


cdef inline void pool_begins(double* pooled, int faced, double general) noexcept nogil:
    pooled[FOLD] = general * (faced > 0)
    pooled[CALL] = general
    pooled[RAISE] = general * (faced < MOST_BETS)


cdef inline void pool_adds(double* pooled, const int32_t* counts) noexcept nogil:
    pooled[0] += counts[0]
    pooled[1] += counts[1]
    pooled[2] += counts[2]


cdef inline void share(const int32_t* counts, const double* pooled, double special, double* into) noexcept nogil:
    cdef int action
    cdef double all_pooled = pooled[0] + pooled[1] + pooled[2]
    cdef double total = special + counts[0] + counts[1] + counts[2]
    for action in range(3):
        into[action] = (counts[action] + special * pooled[action] / all_pooled) / total


def add_hands(
    const uint8_t[::1] x_dealt,
    const uint8_t[::1] bets1,
    const uint8_t[::1] x_opened1,
    const uint8_t[::1] x_drew,
    const uint8_t[::1] y_drew,
    const uint8_t[::1] x_held,
    const uint8_t[::1] bets2,
    const uint8_t[::1] x_opened2,
    const uint8_t[::1] rounds,
    const uint8_t[::1] folded,
    const int8_t[::1] x_gain,
    int64_t first,
    int64_t hands,
    double value,
    const double[:, ::1] advantages,
    int32_t[:, ::1] counts,
    double[::1] luck,
):
    """Count the bot's actions in recorded hands, and add to `luck`, by block, what they won more than their actions are
    worth: the value of a hand, and the advantage of each action.

    The hands are those from number `first` of a session of so many. Raises ValueError for what no session has.
    """
    cdef int64_t row, rows = x_dealt.shape[0], blocks = luck.shape[0]
    cdef double expected
    cdef int dealt, held, history
    cdef bint wrong = False
    if not (
        rows == bets1.shape[0] == x_opened1.shape[0] == x_drew.shape[0] == y_drew.shape[0] == x_held.shape[0]
        == bets2.shape[0] == x_opened2.shape[0] == rounds.shape[0] == folded.shape[0] == x_gain.shape[0]
    ):
        raise ValueError("columns of other lengths")
    if not (counts.shape[0] == advantages.shape[0] == SITUATIONS and counts.shape[1] == advantages.shape[1] == 3):
        raise ValueError("another shape")
    if first < 0 or first + rows > hands:
        raise ValueError("more hands than a session has")
    with nogil:
        for row in range(rows):
            if (
                not is_hand(x_dealt[row]) or not is_hand(x_held[row]) or bets1[row] > 3 or bets2[row] > 3
                or x_drew[row] > 2 or y_drew[row] > 2 or folded[row] > 2 or rounds[row] < 1 or rounds[row] > 2
            ):
                wrong = True
                break
            dealt = hand_number(x_dealt[row] // 10, x_dealt[row] % 10)
            expected = value + follow(
                round1_situation(dealt, 0), bets1[row], x_opened1[row] != 0, rounds[row] == 1 and folded[row] == 1,
                advantages, counts,
            )
            if rounds[row] == 2:
                held = hand_number(x_held[row] // 10, x_held[row] % 10)
                history = history_number(bets1[row], not x_opened1[row])
                counts[draw_situation(dealt, history, 0), x_drew[row]] += 1
                expected += advantages[draw_situation(dealt, history, 0), x_drew[row]]
                expected += follow(
                    round2_situation(held, history, x_drew[row], y_drew[row], 0), bets2[row], x_opened2[row] != 0,
                    folded[row] == 1, advantages, counts,
                )
            luck[(first + row) * blocks // hands] += x_gain[row] - expected
    if wrong:
        raise ValueError("no hand of the game")


cdef inline bint is_hand(int digits) noexcept nogil:
    return digits // 10 <= digits % 10 and digits % 10 <= 4


cdef inline double follow(
    int situation, int bets, bint x_opened, bint x_folded, const double[:, ::1] advantages, int32_t[:, ::1] counts
) noexcept nogil:
    """Count the bot's actions in a round that had so many bets, and return what they were worth."""
    cdef int faced = 2 if x_opened else 1
    cdef int action = RAISE if x_opened else CALL
    cdef double worth = advantages[situation, action]
    counts[situation, action] += 1
    while faced <= bets:
        action = RAISE if faced < bets else FOLD if x_folded else CALL
        counts[situation + faced, action] += 1
        worth += advantages[situation + faced, action]
        faced += 2
    return worth
