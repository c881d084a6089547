"""Numbers for each of the 15 hands of two-card draw, such as chances or values. Hands are by rank, the weakest 0.

All inline.
"""

from libc.string cimport memcpy, memset

from engine.games.two_card_draw.core cimport HANDS

cdef extern from *:
    """
    /* The chance to be dealt each hand, and its higher card. */
    static const double DRAW_CHANCE[15] = {.08, .08, .08, .08, .08, .08, .08, .08, .08, .08, .04, .04, .04, .04, .04};
    static const int DRAW_HIGH[15] = {1, 2, 2, 3, 3, 3, 4, 4, 4, 4, 0, 1, 2, 3, 4};
    /* By two cards: their hand. */
    static const int DRAW_RANK[5][5] = {
        {10, 0, 1, 3, 6}, {0, 11, 2, 4, 7}, {1, 2, 12, 5, 8}, {3, 4, 5, 13, 9}, {6, 7, 8, 9, 14}};
    /* By the number of a hand, as strategy files and the game number them. */
    static const int DRAW_RANK_OF_NUMBER[15] = {10, 0, 1, 3, 6, 11, 2, 4, 7, 12, 5, 8, 13, 9, 14};
    typedef double *__restrict draw_output;
    """
    ctypedef double* Output "draw_output"    # overlaps no other argument
    const double CHANCE "DRAW_CHANCE"[HANDS]
    const int HIGH_CARD "DRAW_HIGH"[HANDS]
    const int RANK_OF_CARDS "DRAW_RANK"[5][5]
    const int RANK_OF_NUMBER "DRAW_RANK_OF_NUMBER"[HANDS]


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
    """What each hand wins in showdowns with hands of this reach."""
    cdef double weaker[HANDS]
    cdef double total = 0
    cdef int hand
    for hand in range(HANDS):
        weaker[hand] = total
        total += reach[hand]
    for hand in range(HANDS):
        values[hand] = stake * (2 * weaker[hand] + reach[hand] - total)


cdef inline void reach_by_draw(const double* reach, int count, Output into) noexcept nogil:
    """The reach of hands after drawing, from that of the hands that draw so many cards."""
    cdef double kept[5]    # by the card that stays
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
                into[RANK_OF_CARDS[card][drawn]] += kept[card]
    else:
        total = total_of(reach)
        for hand in range(HANDS):
            into[hand] = total * CHANCE[hand]


cdef inline void value_of_draw(const double* values, int count, Output into) noexcept nogil:
    """The values of hands before drawing so many cards, from those of the hands after."""
    cdef double mean
    cdef double kept[5]
    cdef int hand, card, drawn
    if count == 0:
        copy_hands(into, values)
    elif count == 1:
        for card in range(5):
            kept[card] = 0
            for drawn in range(5):
                kept[card] += 0.2 * values[RANK_OF_CARDS[card][drawn]]
        for hand in range(HANDS):
            into[hand] = kept[HIGH_CARD[hand]]
    else:
        mean = total_of_products(CHANCE, values)
        for hand in range(HANDS):
            into[hand] = mean
