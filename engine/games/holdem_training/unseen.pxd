"""The cards that a player doesn't see, and drawing from them at random. All inline."""

from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    static inline unsigned long long tournament_high_product(unsigned long long a, unsigned long long b)
    {
        return (unsigned long long)((unsigned __int128)a * b >> 64);
    }
    """
    uint64_t high_product "tournament_high_product"(uint64_t a, uint64_t b) noexcept nogil

cdef struct Unseen:
    int count
    uint8_t cards[52]

cdef inline void see_all_but(Unseen* unseen, uint64_t seen) noexcept nogil:
    """Fill it with the cards whose bits aren't set in `seen`, in order."""
    cdef int card
    unseen.count = 0
    for card in range(52):
        unseen.cards[unseen.count] = <uint8_t>card
        unseen.count += 1 - <int>(seen >> card & 1)

cdef inline uint64_t draw(Unseen* unseen, int place, uint64_t word) noexcept nogil:
    """Swap a random card of `place` and up into `place`, and return the rest of the random word.

    A step of a Fisher-Yates shuffle. One word is good for up to five draws. The
    high half of its product with the number of cards chooses, and the low half is
    the next word. The bias over five draws is at most 2^-35. The previous order of
    the cards doesn't matter.
    """
    cdef uint64_t size = unseen.count - place
    cdef int other = place + <int>high_product(word, size)
    cdef uint8_t card = unseen.cards[other]
    unseen.cards[other] = unseen.cards[place]
    unseen.cards[place] = card
    return word * size
