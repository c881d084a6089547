"""How two hole cards fare against any other two, over all boards: exact counts."""

cimport cython
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

import numpy as np

from engine.games.holdem_training.hand_strength cimport HandTables, hand_tables, strength

cdef enum:
    PAIRS = 1326
    CLASSES = 169

# Of two hole cards: the opponent's two of 50 cards, and the board's five of the other 48.
SHOWDOWNS = 1225 * 1712304

cdef struct Holding:
    uint16_t strength
    uint8_t first
    uint8_t second


cdef int by_strength(const void* one, const void* other) noexcept nogil:
    return <int>(<const Holding*>one).strength - <int>(<const Holding*>other).strength


cdef int arrangements(uint64_t bits) noexcept nogil:
    """How many boards are this one but for suits' names, itself included; 0 unless its suits are in falling order."""
    cdef uint64_t a = bits & 0xFFFF
    cdef uint64_t b = bits >> 16 & 0xFFFF
    cdef uint64_t c = bits >> 32 & 0xFFFF
    cdef uint64_t d = bits >> 48
    cdef int pairs = (a == b) + (b == c) + (c == d)
    if a < b or b < c or c < d:
        return 0
    if pairs == 0:
        return 24
    if pairs == 1:
        return 12
    return 6 if a == b and c == d and b != c else 4 if pairs == 2 else 1


@cython.wraparound(False)
def count_outcomes():
    """For each class of hole cards, how often it wins and ties against two random cards; int64, shape (169, 2).

    Counts are for one holding of the class, out of SHOWDOWNS; `bob.hole_class`
    numbers the classes. Of boards that differ only in the names of suits one is
    looked at. On each board all holdings are sorted by strength: a holding beats
    those before it, except those that share a card with it. Takes about five seconds.
    """
    cdef const HandTables* tables = hand_tables()
    cdef int64_t[:, ::1] totals = np.zeros((CLASSES, 2), dtype=np.int64)
    cdef int a, b, c, d, e
    with nogil:
        for a in range(52):
            for b in range(a):
                for c in range(b):
                    for d in range(c):
                        for e in range(d):
                            add_board(tables, a, b, c, d, e, totals)
    sizes = np.array([[6 if i % 13 == i // 13 else 4 if i // 13 > i % 13 else 12] for i in range(CLASSES)])
    return np.asarray(totals) // sizes


cdef void add_board(
    const HandTables* tables, int a, int b, int c, int d, int e, int64_t[:, ::1] totals
) noexcept nogil:
    """Add one board's wins and ties, and those of the boards that it stands for."""
    cdef Holding holdings[PAIRS]
    cdef int below[52]     # by card: weaker holdings that have it
    cdef int level[52]     # by card: equally strong holdings that have it
    cdef int first, second, count = 0, start = 0, end, i, kind, low, high
    cdef int64_t weight
    cdef uint64_t keys = (
        tables.start + tables.keys[a] + tables.keys[b] + tables.keys[c] + tables.keys[d] + tables.keys[e]
    )
    cdef uint64_t bits = tables.bits[a] | tables.bits[b] | tables.bits[c] | tables.bits[d] | tables.bits[e]
    weight = arrangements(bits)
    if weight == 0:
        return
    for first in range(52):
        if bits & tables.bits[first]:
            continue
        for second in range(first):
            if bits & tables.bits[second]:
                continue
            holdings[count].strength = strength(
                tables,
                keys + tables.keys[first] + tables.keys[second],
                bits | tables.bits[first] | tables.bits[second],
            )
            holdings[count].first = <uint8_t>first
            holdings[count].second = <uint8_t>second
            count += 1
    qsort(holdings, count, sizeof(Holding), by_strength)
    memset(below, 0, sizeof(below))
    memset(level, 0, sizeof(level))
    while start < count:
        end = start
        while end < count and holdings[end].strength == holdings[start].strength:
            level[holdings[end].first] += 1
            level[holdings[end].second] += 1
            end += 1
        for i in range(start, end):
            first = holdings[i].first
            second = holdings[i].second
            high = max(first % 13, second % 13)
            low = min(first % 13, second % 13)
            kind = 13 * high + low if first // 13 == second // 13 else 13 * low + high
            totals[kind, 0] += weight * (start - below[first] - below[second])
            # The holding itself was taken off twice, once for each of its cards.
            totals[kind, 1] += weight * (end - start - level[first] - level[second] + 1)
        for i in range(start, end):
            below[holdings[i].first] += 1
            below[holdings[i].second] += 1
            level[holdings[i].first] = level[holdings[i].second] = 0
        start = end
