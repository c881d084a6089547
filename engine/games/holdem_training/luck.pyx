"""The value of luck in recorded hands of Hold'em training, as controls with mean zero.

A control is a number of a hand whose mean, given everything before, is zero no matter how Alice acts. The first four
controls are gains through the cards of the deal, the flop, the turn and the river. Each is the pot at that time, times
the change of Alice's equity. That is her probability of winning against Bob's cards, with ties as half.

The fifth control is the value of Bob's answer before the flop, less that of his two answers by their probabilities. The
hand is checked down from there.

Six more controls compare the deal with others on its board, on which 21 more hands are dealt. Each is a value of
Alice's and Bob's hands, less the mean of that value over all pairs of the 23. The values are s, s·a, s·b, s·a², s·a·b
and s·b². In these, s is 1, 0 or −1 as she wins, ties or loses. The shares of the other 22 hands that hers and his beat,
less the shares that beat them, are a and b.

Equities are estimated by random boards, from one shuffle of the cards that neither Alice nor Bob has. Their means are
right, and so are those of the controls. The shuffle follows from the cards of all earlier hands, of which Alice never
sees Bob's. For a session's first hand it follows from the cards of the second one. So it reveals nothing of this hand's
cards, and she can't act on it.
"""

from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from engine.games.holdem_training.bob cimport MAX_RAISE, POT, call_probabilities, hole_class
from engine.games.holdem_training.core cimport (
    ALICE, BOB, BOB_CALLED, BOB_CHECKED, BOB_FOLDED, BOB_NOT_ASKED, CARDS, NOBODY, ROUNDS, STACK,
)
from engine.kernel.deals cimport spread
from engine.games.holdem_training.hand_strength cimport HandTables, hand_tables, strength, strength_with
from engine.games.holdem_training.unseen cimport Unseen, draw, see_all_but

cpdef enum:
    CONTROLS = 11

cdef enum:
    COLUMNS = 18         # columns of bytes: nine cards, four raises, four answers, who folded
    ANSWER = 4           # index of the control of Bob's answer
    COMPARED = 5         # first control that compares the 23 hands
    MOMENTS = CONTROLS + 2
    UNSEEN = 48          # cards that neither has
    BOARDS = 9           # boards of five cards
    RUNOUTS = 8          # runouts of two cards
    RIVERS = 8
    SEATS = 23           # hands on a board
    SEATS_PADDED = 24
    DRAWS_A_WORD = 5

cdef struct Hand:
    uint8_t cards[CARDS]
    uint8_t raises[ROUNDS]
    uint8_t answers[ROUNDS]
    uint8_t folded_by

cdef struct Seen:
    # Cards of Alice, Bob and the board, as the sums that the evaluator takes.
    uint64_t alices_keys
    uint64_t alices_bits
    uint64_t bobs_keys
    uint64_t bobs_bits
    uint64_t board_keys
    uint64_t board_bits


cdef inline int compared(const HandTables* tables, const Seen* seen, uint64_t keys, uint64_t bits) noexcept nogil:
    """Return 1, 0 or -1 if Alice wins, ties or loses, with these cards added to the board."""
    cdef int alices, bobs
    keys += seen.board_keys
    bits |= seen.board_bits
    alices = strength(tables, keys + seen.alices_keys, bits | seen.alices_bits)
    bobs = strength(tables, keys + seen.bobs_keys, bits | seen.bobs_bits)
    return (alices > bobs) - (alices < bobs)


cdef double equity(
    const HandTables* tables, const Seen* seen, const uint8_t* cards, int hidden, int boards
) noexcept nogil:
    """Return Alice's share of a number of boards, from 0 to 1. Each is completed by the next `hidden` cards."""
    cdef int board, place, won = 0
    cdef uint64_t keys, bits
    for board in range(boards):
        keys = bits = 0
        for place in range(hidden * board, hidden * (board + 1)):
            keys += tables.keys[cards[place]]
            bits |= tables.bits[cards[place]]
        won += compared(tables, seen, keys, bits)
    return 0.5 + won / (2.0 * boards)


cdef inline int leave_out(const uint8_t* cards, int count, uint64_t known, uint8_t* left) noexcept nogil:
    """Copy the cards that aren't known, in the same order, and return their number."""
    cdef int place, kept = 0
    for place in range(count):
        left[kept] = cards[place]
        kept += 1 - <int>(known >> cards[place] & 1)
    return kept


cdef void compare_hands(
    const HandTables* tables, const Seen* seen, const uint8_t* others, double* controls
) noexcept nogil:
    """Write the six controls of the hands on the complete board: Alice's, Bob's, and pairs of the other cards."""
    cdef int16_t[SEATS_PADDED] strengths
    cdef int16_t[SEATS_PADDED] beaten    # hands that each beats, less those that beat it
    cdef int16_t own
    cdef int seat, other, won, squares = 0, cubes = 0
    cdef double a, b, square, cube
    strengths[0] = strength(tables, seen.board_keys + seen.alices_keys, seen.board_bits | seen.alices_bits)
    strengths[1] = strength(tables, seen.board_keys + seen.bobs_keys, seen.board_bits | seen.bobs_bits)
    for seat in range(2, SEATS):
        strengths[seat] = strength_with(tables, seen.board_keys, seen.board_bits, &others[2 * seat - 4])
    strengths[SEATS] = 0
    memset(beaten, 0, sizeof(beaten))
    # The loop has a fixed length and no branches, so that compilers compare eight hands at the same time.
    for other in range(SEATS):
        own = strengths[other]
        for seat in range(SEATS_PADDED):
            beaten[seat] += <int16_t>(strengths[seat] > own) - <int16_t>(strengths[seat] < own)
    for seat in range(SEATS):
        squares += beaten[seat] * beaten[seat]
        cubes += beaten[seat] * beaten[seat] * beaten[seat]
    won = (strengths[0] > strengths[1]) - (strengths[0] < strengths[1])
    a = beaten[0] / (SEATS - 1.0)
    b = beaten[1] / (SEATS - 1.0)
    # The sum of s over all opponents of a hand is the number that it beats less the number that beat it.
    square = squares / (SEATS * (SEATS - 1.0) ** 2)
    cube = cubes / (SEATS * (SEATS - 1.0) ** 3)
    controls[0] = won
    controls[1] = won * a - square
    controls[2] = won * b + square
    controls[3] = won * a * a - cube
    controls[4] = won * a * b
    controls[5] = won * b * b + cube


cdef void find_controls(
    const HandTables* tables, const double* calls, const Hand* hand, uint64_t shuffle, double* controls
) noexcept nogil:
    cdef Unseen deck
    cdef uint8_t[UNSEEN] left
    cdef Seen seen
    cdef uint64_t known, word = 0
    cdef double value, before, chance
    cdef int place, round, end, pot = POT
    cdef int raised = hand.raises[0]
    cdef bint over = False
    seen.alices_keys = tables.keys[hand.cards[0]] + tables.keys[hand.cards[1]]
    seen.alices_bits = tables.bits[hand.cards[0]] | tables.bits[hand.cards[1]]
    seen.bobs_keys = tables.keys[hand.cards[2]] + tables.keys[hand.cards[3]]
    seen.bobs_bits = tables.bits[hand.cards[2]] | tables.bits[hand.cards[3]]
    seen.board_keys = tables.start
    seen.board_bits = 0
    known = 1ULL << hand.cards[0] | 1ULL << hand.cards[1] | 1ULL << hand.cards[2] | 1ULL << hand.cards[3]
    see_all_but(&deck, known)
    for place in range(UNSEEN - 1):
        if place % DRAWS_A_WORD == 0:
            word = spread(shuffle, place // DRAWS_A_WORD)
        word = draw(&deck, place, word)

    value = equity(tables, &seen, deck.cards, 5, BOARDS)
    controls[0] = POT * (value - 0.5)
    controls[ANSWER] = 0
    if hand.answers[0] >= BOB_CALLED:
        chance = calls[(MAX_RAISE + 1) * hole_class(hand.cards[2], hand.cards[3]) + raised]
        controls[ANSWER] = ((hand.answers[0] == BOB_CALLED) - chance) * ((pot + 2 * raised) * value - raised - pot)
    place = 4
    for round in range(1, ROUNDS):
        end = 6 + round
        while place < end:
            known |= 1ULL << hand.cards[place]
            seen.board_keys += tables.keys[hand.cards[place]]
            seen.board_bits |= tables.bits[hand.cards[place]]
            place += 1
        controls[round] = 0
        if hand.answers[round - 1] == BOB_CALLED:
            pot += 2 * hand.raises[round - 1]
        over |= hand.answers[round - 1] != BOB_CHECKED and hand.answers[round - 1] != BOB_CALLED
        if over:
            continue
        before = value
        if round == ROUNDS - 1:
            value = 0.5 + 0.5 * compared(tables, &seen, 0, 0)
        else:
            leave_out(deck.cards, UNSEEN, known, left)
            value = equity(tables, &seen, left, 3 - round, RUNOUTS if round == 1 else RIVERS)
        controls[round] = pot * (value - before)
    leave_out(deck.cards, UNSEEN, known, left)
    compare_hands(tables, &seen, left, &controls[COMPARED])


cdef bint is_possible(const Hand* hand) noexcept nogil:
    """Return whether the rules allow such a hand."""
    cdef uint64_t known = 0
    cdef int place, round, stack = STACK
    cdef bint over = False
    for place in range(CARDS):
        if hand.cards[place] > 51 or known >> hand.cards[place] & 1:
            return False
        known |= 1ULL << hand.cards[place]
    for round in range(ROUNDS):
        if over:
            if hand.answers[round] != BOB_NOT_ASKED or hand.raises[round]:
                return False
        elif hand.answers[round] == BOB_CHECKED or hand.answers[round] == BOB_NOT_ASKED:
            over = hand.answers[round] == BOB_NOT_ASKED
            if hand.raises[round] or over and hand.folded_by != ALICE:
                return False
        else:
            over = hand.answers[round] == BOB_FOLDED
            if hand.answers[round] > BOB_FOLDED or not 1 <= hand.raises[round] <= stack:
                return False
            if over and hand.folded_by != BOB:
                return False
            stack -= hand.raises[round]
    return over or hand.folded_by == NOBODY


cdef uint64_t cards_of(const uint8_t** contents, int64_t row) noexcept nogil:
    """Return a hand's nine cards as a number, with six bits for each card."""
    cdef uint64_t cards = 0
    cdef int place
    for place in range(CARDS):
        cards = cards << 6 | contents[place][row]
    return cards


def add_hands(
    columns,
    const int8_t[::1] profit,
    int64_t first,
    int64_t hands,
    uint64_t shuffle,
    const double[::1] weights,
    double[:, ::1] moments,
    double[::1] luck,
):
    """Add recorded hands to `luck` and `moments`, and return the word for the shuffle of the next hand.

    A hand's luck is the sum of its controls times the weights. A session's first hand has no luck if it is added alone.

    Args:
        columns: Nine of cards, four of raises, four of answers and one of who folded, uint8 each.
        profit: Alice's profit in each hand, in chips.
        first: Number of the first hand in its session.
        hands: Number of hands in the session.
        shuffle: Word for the shuffle of the first hand, which the call for the hands before returned.
        weights: Weight of each control.
        moments: Sums of the products of each two of 1, the controls and the profit, for later weights.
        luck: Sums of luck by block of the session, in chips.

    Raises:
        ValueError: No session has such hands, or an array has another shape.
        MemoryError: There isn't enough memory.
    """
    cdef const HandTables* tables = hand_tables()
    cdef const double* calls = call_probabilities()
    cdef const uint8_t[::1] column
    cdef const uint8_t* contents[COLUMNS]
    cdef Hand hand
    cdef double[MOMENTS] values
    cdef double worth
    cdef int64_t row, rows = profit.shape[0], blocks = luck.shape[0]
    cdef int place, i, j
    cdef uint64_t word
    cdef bint wrong = False
    if len(columns) != COLUMNS:
        raise ValueError("other columns")
    if weights.shape[0] != CONTROLS or moments.shape[0] != MOMENTS or moments.shape[1] != MOMENTS:
        raise ValueError("another shape")
    if first < 0 or first + rows > hands:
        raise ValueError("more hands than a session has")
    if rows == 0:
        return shuffle
    for place in range(COLUMNS):
        column = columns[place]
        if column.shape[0] != rows:
            raise ValueError("columns of other lengths")
        contents[place] = &column[0]
    with nogil:
        for row in range(rows):
            for place in range(CARDS):
                hand.cards[place] = contents[place][row]
            for place in range(ROUNDS):
                hand.raises[place] = contents[CARDS + place][row]
                hand.answers[place] = contents[CARDS + ROUNDS + place][row]
            hand.folded_by = contents[CARDS + 2 * ROUNDS][row]
            if not is_possible(&hand):
                wrong = True
                break
            if first + row or rows > 1:
                word = shuffle if first + row else spread(cards_of(contents, 1), 0)
                find_controls(tables, calls, &hand, word, &values[1])
                values[0] = 1
                values[CONTROLS + 1] = profit[row]
                worth = 0
                for i in range(CONTROLS):
                    worth += weights[i] * values[1 + i]
                luck[(first + row) * blocks // hands] += worth
                for i in range(MOMENTS):
                    for j in range(i, MOMENTS):
                        moments[i, j] += values[i] * values[j]
            shuffle = spread(shuffle ^ cards_of(contents, row), 0)
    if wrong:
        raise ValueError("no hand of the game")
    return shuffle


def solve(double[:, ::1] equations):
    """Solve equations whose matrix is positive definite, by Gauss and Jordan, in place.

    Libraries of linear algebra round differently on different processors, and this function doesn't.

    Args:
        equations: The matrix, with the right sides as a last column, which becomes the solution.

    Raises:
        ValueError: There isn't exactly one column more than rows.
    """
    cdef int pivot, row, column, rows = <int>equations.shape[0]
    cdef double factor
    if equations.shape[1] != rows + 1:
        raise ValueError("another shape")
    for pivot in range(rows):
        factor = equations[pivot, pivot]
        for column in range(pivot, rows + 1):
            equations[pivot, column] /= factor
        for row in range(rows):
            if row != pivot:
                factor = equations[row, pivot]
                for column in range(pivot, rows + 1):
                    equations[row, column] -= factor * equations[pivot, column]
