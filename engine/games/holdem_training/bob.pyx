"""Bob, who calls when a hundred rollouts show that calling pays more than folding.

With `pot` before a raise of x, calling and winning brings pot + x more than folding, a tie pot / 2 and losing -x. He
calls if that sums to more than 0 over his rollouts. Two methods give the same answers:

- With a board on the table he makes rollouts, but stops when the remaining ones can't change the sign. His answer is
  that of all hundred.
- Before the flop, the rollouts of two hole cards win, tie and lose independently with known probabilities. So the
  counts are multinomial. The probability that he calls is the sum of that distribution over the counts with a positive
  sum.

One random number then decides instead of a hundred rollouts: not with the same answers, but with the same distribution.
"""

from threading import Lock

from libc.math cimport exp, lgamma, log
from libc.stdint cimport uint16_t

import numpy as np

from engine.kernel.deals cimport spread
from engine.games.holdem_training.hand_strength cimport strength
from engine.games.holdem_training.unseen cimport Unseen, draw, see_all_but

from engine.games.holdem_training.preflop_outcomes import OUTCOMES, SHOWDOWNS

cpdef enum:
    ROLLOUTS = 100

cdef enum:
    CLASSES = 169

cdef object BUILDING = Lock()
cdef object CALLS = None    # float64, by class and raise


cdef int hole_class(int first, int second) noexcept nogil:
    """Return the class of two hole cards, 0 to 168.

    It is 13 · the higher rank + the lower rank if they are suited, otherwise 13 · the lower rank + the higher rank.
    """
    cdef int high = max(first % 13, second % 13)
    cdef int low = min(first % 13, second % 13)
    return 13 * high + low if first // 13 == second // 13 else 13 * low + high


cdef const double* call_probabilities() except NULL:
    """Return the probabilities that Bob calls a raise before the flop. The first call computes them.

    That of a raise of x chips, for a class of hole cards, has the index (MAX_RAISE + 1) · class + x.

    Raises:
        MemoryError: There isn't enough memory.
    """
    global CALLS
    cdef double[:, ::1] values
    with BUILDING:
        if CALLS is None:
            CALLS = compute_call_probabilities()
    values = CALLS
    return &values[0, 0]


cdef compute_call_probabilities():
    cdef double[:, ::1] calls = np.zeros((CLASSES, MAX_RAISE + 1))
    cdef double at_least[ROLLOUTS + 2]    # probabilities of at least that number of wins, given the ties
    cdef double log_factorials[ROLLOUTS + 1]
    cdef double chances[3]
    cdef int number, x, wins, ties, losses
    cdef int64_t pot = POT
    for number in range(ROLLOUTS + 1):
        log_factorials[number] = lgamma(number + 1.0)
    for number in range(CLASSES):
        won, tied = OUTCOMES[number]
        chances[0] = log(won / SHOWDOWNS)
        chances[1] = log(tied / SHOWDOWNS)
        chances[2] = log(1 - (won + tied) / SHOWDOWNS)
        for ties in range(ROLLOUTS + 1):
            at_least[ROLLOUTS - ties + 1] = 0
            for wins in range(ROLLOUTS - ties, -1, -1):
                losses = ROLLOUTS - ties - wins
                at_least[wins] = at_least[wins + 1] + exp(
                    log_factorials[ROLLOUTS]
                    - log_factorials[wins]
                    - log_factorials[ties]
                    - log_factorials[losses]
                    + wins * chances[0]
                    + ties * chances[1]
                    + losses * chances[2]
                )
            for x in range(1, MAX_RAISE + 1):
                # The fewest wins w with w (pot + x) + ties pot / 2 > (rollouts - ties - w) x.
                wins = <int>max(0, ((ROLLOUTS - ties) * 2 * x - ties * pot) // (2 * (pot + 2 * x)) + 1)
                if (ROLLOUTS - ties) * 2 * x < ties * pot:
                    wins = 0
                if wins <= ROLLOUTS - ties:
                    calls[number, x] += at_least[wins]
    return np.asarray(calls)


cdef bint calls_by_rollouts(
    const HandTables* tables,
    const uint8_t* hole,
    const uint8_t* board,
    int board_count,
    int64_t pot,
    int64_t raised,
    uint64_t word,
) noexcept nogil:
    """Return whether Bob calls a raise, by rollouts that all follow from one random word.

    A rollout gives Alice the first two cards that it draws, and the board the others. The word is used for this
    decision alone, and Alice learns one bit of it: the answer. So she can't find the word, and it would reveal nothing
    else.
    """
    cdef Unseen unseen
    cdef int64_t win = 2 * (pot + raised)    # doubled, for ties
    cdef int64_t tie = pot
    cdef int64_t loss = -2 * raised
    cdef int64_t total = 0
    cdef int64_t left
    cdef uint64_t board_keys = tables.start
    cdef uint64_t board_bits = 0
    cdef uint64_t hole_keys = tables.keys[hole[0]] + tables.keys[hole[1]]
    cdef uint64_t hole_bits = tables.bits[hole[0]] | tables.bits[hole[1]]
    cdef uint64_t seen = 1ULL << hole[0] | 1ULL << hole[1]
    cdef uint64_t keys, bits, left_over
    cdef int hidden = 5 - board_count
    cdef int rollout, place
    cdef uint16_t bobs = 0
    cdef uint16_t alices
    cdef uint8_t card
    for place in range(board_count):
        board_keys += tables.keys[board[place]]
        board_bits |= tables.bits[board[place]]
        seen |= 1ULL << board[place]
    see_all_but(&unseen, seen)
    if hidden == 0:
        bobs = strength(tables, board_keys + hole_keys, board_bits | hole_bits)
    for rollout in range(ROLLOUTS):
        left_over = spread(word, rollout)
        keys = board_keys
        bits = board_bits
        left_over = draw(&unseen, 0, left_over)
        left_over = draw(&unseen, 1, left_over)
        for place in range(2, 2 + hidden):
            left_over = draw(&unseen, place, left_over)
            card = unseen.cards[place]
            keys += tables.keys[card]
            bits |= tables.bits[card]
        if hidden:
            bobs = strength(tables, keys + hole_keys, bits | hole_bits)
        alices = strength(
            tables,
            keys + tables.keys[unseen.cards[0]] + tables.keys[unseen.cards[1]],
            bits | tables.bits[unseen.cards[0]] | tables.bits[unseen.cards[1]],
        )
        total += win if bobs > alices else tie if bobs == alices else loss
        left = ROLLOUTS - 1 - rollout
        if total + left * win <= 0:
            return False
        if total + left * loss > 0:
            return True
    return total > 0
