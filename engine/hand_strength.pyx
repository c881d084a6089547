"""What seven cards are worth: the best five of them, as one number to compare.

A card is 13 · suit + value − 1, from 0 to 51. The strength of seven cards is a
number from 0 to 4,823: as many classes of best hands can be made of seven.
Equal strengths tie, the higher one wins.

Cards are added up, so that what a board has can be kept. The low half of a
card's key is 5 to the power of its rank, and a sum of seven tells the ranks.
The 49,205 sums go through a perfect hash: a multiplication spreads them over
rows, and each row has a displacement under which none of its sums meets
another's slot (hash and displace: Belazzougui, Botelho and Dietzfelbinger,
ESA 2009). The high half of the keys counts suits; seven cards with five of a
suit have neither four of a kind nor a full house, so then the ranks of that
suit alone decide.
"""

from threading import Lock

import numpy as np

from libc.stdint cimport int32_t
from libc.string cimport memset

cdef enum:
    RANKS = 13
    RANK_SUMS = 49205

HAND_TYPES = (
    "high card",
    "one pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)

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
cdef object WORTHS = None    # uint32 by strength: what it stands for, as `packed` has it
cdef object BUILDING = Lock()


cdef const HandTables* hand_tables() except NULL:
    """The tables, built when they are first asked for: that takes some 15 ms."""
    with BUILDING:
        if WORTHS is None:
            build_tables()
    return &TABLES


cdef uint32_t packed(int type, const int* ranks) noexcept nogil:
    """A hand to compare: its type, then its ranks, each in four bits, the most important first."""
    cdef uint32_t worth = type
    cdef int i
    for i in range(5):
        worth = worth << 4 | <uint32_t>ranks[i]
    return worth


cdef int straight_top(uint32_t ranks) noexcept nogil:
    """The highest rank of the best straight in a set of ranks, -1 without one; the ace also lies below the two."""
    cdef uint32_t with_low_ace = ranks << 1 | ranks >> 12
    cdef int top
    for top in range(12, 2, -1):
        if (with_low_ace >> (top - 3) & 31) == 31:
            return top
    return -1


cdef uint32_t worth_of_ranks(const int* counts) noexcept nogil:
    """The best five of seven cards by ranks alone, from how many there are of each rank."""
    cdef int best[5]
    cdef int quads = -1, trips = -1, second_trips = -1, pair = -1, second_pair = -1
    cdef int rank, filled, top
    cdef uint32_t ranks = 0
    cdef Type type
    for rank in range(RANKS - 1, -1, -1):
        if counts[rank]:
            ranks |= 1u << rank
        if counts[rank] == 4:
            quads = rank
        elif counts[rank] == 3:
            if trips < 0:
                trips = rank
            else:
                second_trips = rank
        elif counts[rank] == 2:
            if pair < 0:
                pair = rank
            elif second_pair < 0:
                second_pair = rank
    top = straight_top(ranks)
    for filled in range(5):
        best[filled] = 0
    if quads >= 0:
        type = FOUR_OF_A_KIND
        for filled in range(4):
            best[filled] = quads
        filled = 4
    elif trips >= 0 and (pair >= 0 or second_trips >= 0):
        best[0] = best[1] = best[2] = trips
        best[3] = best[4] = max(pair, second_trips)
        return packed(FULL_HOUSE, best)
    elif top >= 0:
        best[0] = top
        return packed(STRAIGHT, best)
    elif trips >= 0:
        type = THREE_OF_A_KIND
        best[0] = best[1] = best[2] = trips
        filled = 3
    elif second_pair >= 0:
        type = TWO_PAIRS
        best[0] = best[1] = pair
        best[2] = best[3] = second_pair
        filled = 4
    elif pair >= 0:
        type = ONE_PAIR
        best[0] = best[1] = pair
        filled = 2
    else:
        type = HIGH_CARD
        filled = 0
    # The highest ranks not yet used; a third pair may give one of them.
    for rank in range(RANKS - 1, -1, -1):
        if filled == 5:
            break
        if not counts[rank] or rank == quads or rank == trips:
            continue
        if type == TWO_PAIRS and (rank == pair or rank == second_pair) or type == ONE_PAIR and rank == pair:
            continue
        best[filled] = rank
        filled += 1
    return packed(type, best)


cdef uint32_t worth_of_flush(uint32_t ranks) noexcept nogil:
    """The best five of a suit's five or more ranks."""
    cdef int best[5]
    cdef int rank, filled
    cdef int top = straight_top(ranks)
    for filled in range(5):
        best[filled] = 0
    if top >= 0:
        best[0] = top
        return packed(STRAIGHT_FLUSH, best)
    filled = 0
    for rank in range(RANKS - 1, -1, -1):
        if filled < 5 and ranks >> rank & 1:
            best[filled] = rank
            filled += 1
    return packed(FLUSH, best)


cdef int list_sums(int rank, int left, uint32_t total, int* counts, uint32_t* sums, uint32_t* worths, int found):
    """List the sums of `left` more cards from `rank` up, each with its worth; returns how many there are by now."""
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


cdef build_tables():
    cdef int counts[RANKS]
    cdef uint32_t[::1] sums = np.zeros(RANK_SUMS, dtype=np.uint32)
    cdef uint32_t[::1] worths = np.zeros(RANK_SUMS, dtype=np.uint32)
    cdef uint32_t[::1] flush_worths = np.zeros(SUIT_RANKS, dtype=np.uint32)
    cdef const uint16_t[::1] strengths
    cdef int suit, rank, i
    cdef uint64_t power = 1
    global WORTHS
    memset(&TABLES, 0, sizeof(TABLES))
    TABLES.start = 0x3333ULL << 48
    for rank in range(RANKS):
        for suit in range(4):
            TABLES.keys[13 * suit + rank] = power | 1ULL << (48 + 4 * suit)
            TABLES.bits[13 * suit + rank] = 1ULL << (16 * suit + rank)
        power *= 5
    memset(counts, 0, sizeof(counts))
    list_sums(0, 7, 0, counts, &sums[0], &worths[0], 0)
    for i in range(SUIT_RANKS):
        if 5 <= bin(i).count("1") <= 7:
            flush_worths[i] = worth_of_flush(i)
    worths_found, ranked = np.unique(np.concatenate([worths, np.unique(flush_worths)[1:]]), return_inverse=True)
    strengths = ranked[:RANK_SUMS].astype(np.uint16)
    place_sums(sums, strengths)
    strengths = np.searchsorted(worths_found, flush_worths).astype(np.uint16)
    for i in range(SUIT_RANKS):
        TABLES.by_flush[i] = strengths[i]
    WORTHS = worths_found


cdef place_sums(const uint32_t[::1] sums, const uint16_t[::1] strengths):
    """Give each row of the hash the first displacement under which its sums find free slots, the fullest rows first."""
    cdef uint64_t[::1] scattered = np.asarray(sums).astype(np.uint64) * np.uint64(HAND_MULTIPLIER)
    cdef uint8_t[::1] taken = np.zeros(SLOTS, dtype=np.uint8)
    rows = np.asarray(scattered) >> np.uint64(51)
    sizes = np.bincount(rows.astype(np.int64), minlength=ROWS)
    cdef int32_t[::1] by_row = np.argsort(rows, kind="stable").astype(np.int32)
    cdef int32_t[::1] starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    cdef int32_t[::1] order = np.argsort(-sizes, kind="stable").astype(np.int32)
    cdef int row, member, n, displacement
    cdef uint16_t slot
    for n in range(ROWS):
        row = order[n]
        for displacement in range(SLOTS):
            for member in range(starts[row], starts[row + 1]):
                slot = <uint16_t>((scattered[by_row[member]] >> 35) + displacement)
                if taken[slot]:
                    break
                taken[slot] = 1
            else:
                break
            while member > starts[row]:    # give back what this displacement took
                member -= 1
                taken[<uint16_t>((scattered[by_row[member]] >> 35) + displacement)] = 0
        else:
            raise AssertionError(f"the multiplier leaves row {row} without a place")
        TABLES.displacements[row] = displacement
        for member in range(starts[row], starts[row + 1]):
            slot = <uint16_t>((scattered[by_row[member]] >> 35) + displacement)
            TABLES.by_ranks[slot] = strengths[by_row[member]]


def strengths(const uint8_t[:, ::1] hands):
    """Strengths of many hands, uint16: `hands` has a row of seven different cards for each.

    Raises ValueError for rows of another length or a card that isn't one.
    """
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


def hand_types():
    """For each strength the number of its type in HAND_TYPES, uint8."""
    hand_tables()
    return (WORTHS >> 20).astype(np.uint8)
