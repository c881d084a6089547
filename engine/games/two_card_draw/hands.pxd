"""The 15 hands of two-card draw, and numbers for each of them, such as chances or values. All inline.

Hands are numbered by their lower card, then by their higher, as in strategy files and the game. A hand's rank is its
place by strength, the weakest 0. Numbers for each hand are by rank.
"""

from libc.stdint cimport int8_t
from libc.string cimport memcpy, memset

cdef enum:
    HANDS = 15

cdef extern from *:
    """
    #include <stdint.h>
    /* By two cards, 5 times the one and the other: their hand. */
    static const int8_t HAND_OF[25] = {
        0, 1, 2, 3, 4, 1, 5, 6, 7, 8, 2, 6, 9, 10, 11, 3, 7, 10, 12, 13, 4, 8, 11, 13, 14};
    /* By hand: its rank. */
    static const int8_t RANK[15] = {10, 0, 1, 3, 6, 11, 2, 4, 7, 12, 5, 8, 13, 9, 14};
    /* By rank: the chance to be dealt the hand, and its higher card. */
    static const double DRAW_CHANCE[15] = {.08, .08, .08, .08, .08, .08, .08, .08, .08, .08, .04, .04, .04, .04, .04};
    static const int DRAW_HIGH[15] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 0, 1, 2, 3, 4};
    typedef double *__restrict draw_output;
    """
    const int8_t HAND_OF[25]
    const int8_t RANK[15]
    ctypedef double* Output "draw_output"    # overlaps no other argument
    const double CHANCE "DRAW_CHANCE"[HANDS]
    const int HIGH_CARD "DRAW_HIGH"[HANDS]


cdef inline double total_of(const double* values) noexcept nogil:
    cdef double total = 0
    cdef int hand
    for hand in range(HANDS):
        total += values[hand]
    return total


cdef inline double total_of_products(const double* one, const double* other) noexcept nogil:
    cdef double total = 0
    cdef int hand
    for hand in range(HANDS):
        total += one[hand] * other[hand]
    return total


cdef inline void multiply(const double* one, const double* other, Output into) noexcept nogil:
    cdef int hand
    for hand in range(HANDS):
        into[hand] = one[hand] * other[hand]


cdef inline void copy_hands(double* into, const double* values) noexcept nogil:
    memcpy(into, values, HANDS * sizeof(double))


cdef inline void show_down(const double* reach, double stake, Output values) noexcept nogil:
    """Write the wins of each hand in showdowns with hands of this reach."""
    cdef double weaker[HANDS]
    cdef double total = 0
    cdef int hand
    for hand in range(HANDS):
        weaker[hand] = total
        total += reach[hand]
    for hand in range(HANDS):
        values[hand] = stake * (2 * weaker[hand] + reach[hand] - total)


cdef inline void reach_by_draw(const double* reach, int count, Output into) noexcept nogil:
    """Write the reach of hands after drawing `count` cards, from that of the hands that draw them."""
    cdef double kept[5]    # indexed by the card that stays
    cdef double total
    cdef int hand, card, drawn
    if count == 0:
        copy_hands(into, reach)
    elif count == 1:
        memset(kept, 0, sizeof(kept))
        for hand in range(HANDS):
            kept[HIGH_CARD[hand]] += 0.2 * reach[hand]
            into[hand] = 0
        for card in range(5):
            for drawn in range(5):
                into[RANK[HAND_OF[5 * card + drawn]]] += kept[card]
    else:
        total = total_of(reach)
        for hand in range(HANDS):
            into[hand] = total * CHANCE[hand]


cdef inline void value_of_draw(const double* values, int count, Output into) noexcept nogil:
    """Write the values of hands before drawing `count` cards, from those of the hands after."""
    cdef double mean
    cdef double kept[5]
    cdef int hand, card, drawn
    if count == 0:
        copy_hands(into, values)
    elif count == 1:
        for card in range(5):
            kept[card] = 0
            for drawn in range(5):
                kept[card] += 0.2 * values[RANK[HAND_OF[5 * card + drawn]]]
        for hand in range(HANDS):
            into[hand] = kept[HIGH_CARD[hand]]
    else:
        mean = total_of_products(CHANCE, values)
        for hand in range(HANDS):
            into[hand] = mean
