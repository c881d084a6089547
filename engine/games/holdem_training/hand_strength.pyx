"""The value of seven cards: the best five of them, as one number to compare.

A card is 13 · suit + value − 1, from 0 to 51. The strength of seven cards is a number from 0 to 4,823, for the 4,824
classes of best hands that seven cards can have. Equal strengths tie, and the higher one wins.

A hand is the sum of its cards' keys, so the sum of a board is computed once and used for many hands. The low half of a
key is 5 to the power of the card's rank. So the sum of seven is a number in base 5 whose digits count the ranks. A
perfect hash maps the 49,205 sums to their strengths. A multiplication gives each a row and a slot, and each row has a
displacement that makes all slots differ (hash and displace: Belazzougui, Botelho and Dietzfelbinger, ESA 2009).

The high half of the keys counts suits. Seven cards with five of a suit have neither four of a kind nor a full house. So
the ranks of that suit alone decide.
"""

from threading import Lock

from libc.stdlib cimport calloc, free, qsort
from libc.string cimport memcpy, memset

cdef enum:
    RANKS = 13
    RANK_SUMS = 49205
    CLASSES = 4824       # classes of best hands, one for each strength

cdef enum Type:
    HIGH_CARD
    ONE_PAIR
    TWO_PAIRS
    THREE_OF_A_KIND
    STRAIGHT
    FLUSH
    FULL_HOUSE
    FOUR_OF_A_KIND
    STRAIGHT_FLUSH

cdef HandTables TABLES
cdef uint32_t WORTHS[CLASSES]    # best five of each strength as `packed` returns it, in ascending order
cdef bint is_built = False
cdef object BUILDING = Lock()


cdef const HandTables* hand_tables() except NULL:
    """Return the tables. The first call builds them, in about 15 ms.

    Raises:
        MemoryError: There isn't enough memory.
    """
    global is_built
    with BUILDING:
        if not is_built:
            build_tables()
            is_built = True
    return &TABLES


cdef uint32_t packed(int type, const int* ranks) noexcept nogil:
    """Return the best five as a number that compares as they do: type, then ranks by importance, four bits each."""
    cdef uint32_t worth = type
    cdef int i
    for i in range(5):
        worth = worth << 4 | <uint32_t>ranks[i]
    return worth


cdef int straight_top(uint32_t ranks) noexcept nogil:
    """Return the highest rank of the best straight in a set of ranks, or -1. An ace is also below the two."""
    cdef uint32_t with_low_ace = ranks << 1 | ranks >> 12
    cdef int top
    for top in range(12, 2, -1):
        if (with_low_ace >> (top - 3) & 31) == 31:
            return top
    return -1


cdef int highest(uint32_t ranks) noexcept nogil:
    """Return the highest of a set of ranks, or -1 if it is empty."""
    cdef int rank = RANKS - 1
    while rank >= 0 and not ranks >> rank & 1:
        rank -= 1
    return rank


cdef uint32_t add_kickers(Type type, int* best, int filled, uint32_t ranks) noexcept nogil:
    """Fill a hand up to five with the highest of `ranks`, and return it as `packed` does."""
    cdef int rank
    for rank in range(RANKS - 1, -1, -1):
        if filled < 5 and ranks >> rank & 1:
            best[filled] = rank
            filled += 1
    return packed(type, best)


cdef uint32_t worth_of_ranks(const int* counts) noexcept nogil:
    """Return the best five of seven cards by ranks alone, packed, given the number of cards of each rank."""
    cdef int best[5]
    cdef uint32_t at_least[5]    # ranks with at least that number of cards
    cdef int rank, count, quads, trips, pair, second_pair
    cdef int top
    memset(best, 0, sizeof(best))
    memset(at_least, 0, sizeof(at_least))
    for rank in range(RANKS):
        for count in range(1, counts[rank] + 1):
            at_least[count] |= 1u << rank
    quads = highest(at_least[4])
    if quads >= 0:
        best[0] = best[1] = best[2] = best[3] = quads
        return add_kickers(FOUR_OF_A_KIND, best, 4, at_least[1] & ~(1u << quads))
    trips = highest(at_least[3])
    if trips >= 0:
        best[0] = best[1] = best[2] = trips
        pair = highest(at_least[2] & ~(1u << trips))
        if pair >= 0:
            best[3] = best[4] = pair
            return packed(FULL_HOUSE, best)
    top = straight_top(at_least[1])
    if top >= 0:
        memset(best, 0, sizeof(best))
        best[0] = top
        return packed(STRAIGHT, best)
    if trips >= 0:
        return add_kickers(THREE_OF_A_KIND, best, 3, at_least[1] & ~(1u << trips))
    pair = highest(at_least[2])
    if pair < 0:
        return add_kickers(HIGH_CARD, best, 0, at_least[1])
    best[0] = best[1] = pair
    second_pair = highest(at_least[2] & ~(1u << pair))
    if second_pair < 0:
        return add_kickers(ONE_PAIR, best, 2, at_least[1] & ~(1u << pair))
    best[2] = best[3] = second_pair
    # A third pair can give the kicker.
    return add_kickers(TWO_PAIRS, best, 4, at_least[1] & ~(1u << pair) & ~(1u << second_pair))


cdef inline uint64_t scattered(uint32_t ranks) noexcept nogil:
    """Return the hash of a sum of ranks: bits 51 and up are the row, bits 35 and up the slot before displacement."""
    return ranks * HAND_MULTIPLIER


cdef uint32_t worth_of_flush(uint32_t ranks) noexcept nogil:
    """Return the best five of a suit's five or more ranks, packed."""
    cdef int best[5]
    cdef int top = straight_top(ranks)
    memset(best, 0, sizeof(best))
    if top >= 0:
        best[0] = top
        return packed(STRAIGHT_FLUSH, best)
    return add_kickers(FLUSH, best, 0, ranks)


cdef int list_sums(int rank, int left, uint32_t total, int* counts, uint32_t* sums, uint32_t* worths, int found):
    """Append the sums and worths of all hands with `left` more cards of `rank` or higher, and return the new count."""
    cdef int count
    cdef uint32_t power = 1
    if rank == RANKS:
        if left == 0:
            sums[found] = total
            worths[found] = worth_of_ranks(counts)
            found += 1
        return found
    for _ in range(rank):
        power *= 5
    for count in range(min(left, 4) + 1):
        counts[rank] = count
        found = list_sums(rank + 1, left - count, total + count * power, counts, sums, worths, found)
    counts[rank] = 0
    return found


cdef int by_size(const void* one, const void* other) noexcept nogil:
    """Compare two uint32_t for qsort: return 1, 0 or -1."""
    cdef uint32_t a = (<const uint32_t*>one)[0]
    cdef uint32_t b = (<const uint32_t*>other)[0]
    return (a > b) - (a < b)


cdef uint16_t strength_of(uint32_t worth) noexcept nogil:
    """Return the strength of a worth: its index in WORTHS."""
    cdef int low = 0
    cdef int high = CLASSES - 1
    cdef int middle
    while low < high:
        middle = (low + high) // 2
        if WORTHS[middle] < worth:
            low = middle + 1
        else:
            high = middle
    return <uint16_t>low


cdef build_tables():
    cdef int counts[RANKS]
    cdef int suit, rank, i
    cdef int found = RANK_SUMS
    cdef int classes = 0
    cdef uint64_t power = 1
    # One allocation: sums, their worths, worths of flushes, and all worths to sort.
    cdef uint32_t* sums = <uint32_t*>calloc(3 * RANK_SUMS + 2 * SUIT_RANKS, sizeof(uint32_t))
    if sums == NULL:
        raise MemoryError
    cdef uint32_t* worths = sums + RANK_SUMS
    cdef uint32_t* flush_worths = worths + RANK_SUMS
    cdef uint32_t* sorted_worths = flush_worths + SUIT_RANKS
    try:
        memset(&TABLES, 0, sizeof(TABLES))
        TABLES.start = 0x3333ULL << 48
        for rank in range(RANKS):
            for suit in range(4):
                TABLES.keys[13 * suit + rank] = power | 1ULL << (48 + 4 * suit)
                TABLES.bits[13 * suit + rank] = 1ULL << (16 * suit + rank)
            power *= 5
        memset(counts, 0, sizeof(counts))
        list_sums(0, 7, 0, counts, sums, worths, 0)
        memcpy(sorted_worths, worths, RANK_SUMS * sizeof(uint32_t))
        for i in range(SUIT_RANKS):
            if 5 <= bin(i).count("1") <= 7:
                flush_worths[i] = worth_of_flush(i)
                sorted_worths[found] = flush_worths[i]
                found += 1
        qsort(sorted_worths, found, sizeof(uint32_t), by_size)
        for i in range(found):
            if i == 0 or sorted_worths[i] != sorted_worths[i - 1]:
                if classes == CLASSES:
                    raise AssertionError("more classes of hands than there are")
                WORTHS[classes] = sorted_worths[i]
                classes += 1
        for i in range(SUIT_RANKS):
            TABLES.by_flush[i] = strength_of(flush_worths[i])
        place_sums(sums, worths)
    finally:
        free(sums)


cdef place_sums(const uint32_t* sums, const uint32_t* worths):
    """Store the displacement of each row of the hash, and the strength of each sum in its slot, in TABLES.

    A displacement is the first one at which the row's sums have free slots. The fullest rows come first. WORTHS must be
    complete.

    Args:
        sums: All sums of the ranks of seven cards.
        worths: Worth of each sum.

    Raises:
        AssertionError: A row has no displacement, which doesn't happen with this multiplier.
    """
    cdef bint taken[SLOTS]
    cdef int starts[ROWS + 1]    # start of each row's sums in `by_row`
    cdef int filled[ROWS]
    cdef int by_row[RANK_SUMS]
    cdef int row, size, member, i, displacement
    cdef int most = 0
    cdef uint16_t slot
    memset(taken, 0, sizeof(taken))
    memset(starts, 0, sizeof(starts))
    memset(filled, 0, sizeof(filled))
    for i in range(RANK_SUMS):
        starts[(scattered(sums[i]) >> 51) + 1] += 1
    for row in range(ROWS):
        most = max(most, starts[row + 1])
        starts[row + 1] += starts[row]
    for i in range(RANK_SUMS):
        row = <int>(scattered(sums[i]) >> 51)
        by_row[starts[row] + filled[row]] = i
        filled[row] += 1
    for size in range(most, 0, -1):
        for row in range(ROWS):
            if filled[row] != size:
                continue
            for displacement in range(SLOTS):
                for member in range(starts[row], starts[row + 1]):
                    slot = <uint16_t>((scattered(sums[by_row[member]]) >> 35) + displacement)
                    if taken[slot]:
                        break
                    taken[slot] = True
                else:
                    break
                while member > starts[row]:    # free the slots that this displacement took
                    member -= 1
                    taken[<uint16_t>((scattered(sums[by_row[member]]) >> 35) + displacement)] = False
            else:
                raise AssertionError(f"no displacement for row {row}")
            TABLES.displacements[row] = displacement
            for member in range(starts[row], starts[row + 1]):
                slot = <uint16_t>((scattered(sums[by_row[member]]) >> 35) + displacement)
                TABLES.by_ranks[slot] = strength_of(worths[by_row[member]])


def strengths(const uint8_t[:, ::1] hands):
    """Return the strengths of rows of seven different cards, as uint16.

    Raises:
        ValueError: A row has another length, or a number is no card.
        MemoryError: There isn't enough memory.
    """
    # Imported here, because Python bots' processes use this module without numpy.
    import numpy as np

    cdef Py_ssize_t i
    cdef int j
    cdef uint64_t keys, bits
    cdef const HandTables* tables = hand_tables()
    if hands.shape[1] != 7:
        raise ValueError("a hand has seven cards")
    if hands.shape[0] and np.max(hands) >= DECK:
        raise ValueError("cards are 0 to 51")
    result = np.empty(hands.shape[0], dtype=np.uint16)
    cdef uint16_t[::1] found = result
    with nogil:
        for i in range(hands.shape[0]):
            keys = tables.start
            bits = 0
            for j in range(7):
                keys += tables.keys[hands[i, j]]
                bits |= tables.bits[hands[i, j]]
            found[i] = strength(tables, keys, bits)
    return result
