# See hand_strength.pyx for details.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    DECK = 52
    ROWS = 8192          # rows of the perfect hash
    SLOTS = 65536
    SUIT_RANKS = 8192    # sets of ranks within a suit

cdef extern from *:
    """
    #define HAND_MULTIPLIER 0x9DA2A418F6FB8327ULL
    #define SOME_FLUSH 0x8888000000000000ULL
    """
    const uint64_t HAND_MULTIPLIER
    const uint64_t SOME_FLUSH     # the top bit of each suit's count: five cards, since counts begin at 3

cdef struct HandTables:
    uint64_t start                        # a sum of no cards: each suit's count begins at 3
    uint64_t keys[DECK]                   # summands: rank in base 5 below, count of each suit in four bits on top
    uint64_t bits[DECK]                   # sets of ranks of each suit, 16 bits each, to combine by or
    uint16_t displacements[ROWS]
    uint16_t by_ranks[SLOTS]
    uint16_t by_flush[SUIT_RANKS]

cdef const HandTables* hand_tables() except NULL

cdef inline uint16_t strength(const HandTables* tables, uint64_t keys, uint64_t bits) noexcept nogil:
    """Strength of seven cards from `start` and the sum of their keys, and their bits or-ed."""
    cdef uint64_t scattered
    cdef uint64_t flush = keys & SOME_FLUSH
    cdef int suit
    if flush:
        suit = 0 if flush >> 51 & 1 else 1 if flush >> 55 & 1 else 2 if flush >> 59 & 1 else 3
        return tables.by_flush[bits >> 16 * suit & 0x1FFF]
    scattered = <uint32_t>keys * HAND_MULTIPLIER
    return tables.by_ranks[(scattered >> 35) + tables.displacements[scattered >> 51] & 0xFFFF]


cdef inline uint16_t strength_with(
    const HandTables* tables, uint64_t keys, uint64_t bits, const uint8_t* hole
) noexcept nogil:
    """Strength of a board, by its keys and bits, with two more cards."""
    return strength(
        tables, keys + tables.keys[hole[0]] + tables.keys[hole[1]], bits | tables.bits[hole[0]] | tables.bits[hole[1]]
    )
