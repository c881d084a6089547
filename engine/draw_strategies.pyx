"""What strategies of two-card draw are worth, and how servers are made.

A hand is worked out from its end: values are the bot's, for each of his hands,
summed over the server's hands by their reach (the probability that the server
holds the hand and has acted so far as it did). Cards are independent and what was
discarded tells nothing, so a perfect opponent needs the public history
and his hand only. Hands are numbered by rank here, the weakest 0.

Servers are made as the problem TwoCardDraw of TopCoder's Marathon Match 14 has
it. Equilibria are found by CFR+ (Tammelin, "Solving large imperfect information
games using CFR+", 2014).
"""

cimport cython
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from engine.deals cimport stream_key, stream_word
from engine.two_card_draw cimport (
    FIRST_DRAW,
    FIRST_ROUND2,
    hand_number,
    hand_rank,
)

import numpy as np

# Rows of a bot's strategy: what it does in round 1 by hand and bets faced, then by hand and history
# what it draws, then round 2 as in a server's.
BOT_SITUATIONS = HANDS * 4 + HANDS * HISTORIES + HANDS * HISTORIES * 36

cdef enum:
    FOLD
    CALL
    RAISE

cdef enum:
    SHOWDOWNS = 7       # ways in which round 2 can get there
    BOT_ROWS = HANDS * 4 + HANDS * HISTORIES + HANDS * HISTORIES * 36

# Of hands by rank: the chance to be dealt each, its higher card, and which hand each new card for the lower gives.
cdef double chance[HANDS]
cdef int high_card[HANDS]
cdef int replaced[HANDS][5]
cdef int rank_of_number[HANDS]
cdef Situation all_situations[SITUATIONS]


cdef void describe_hands() noexcept:
    cdef int low, high, rank, drawn
    for low in range(5):
        for high in range(low, 5):
            rank = hand_rank(low, high)
            rank_of_number[hand_number(low, high)] = rank
            chance[rank] = 0.04 if low == high else 0.08
            high_card[rank] = high
            for drawn in range(5):
                replaced[rank][drawn] = hand_rank(min(drawn, high), max(drawn, high))


cdef void describe_situations() noexcept:
    cdef int number, rest, rank
    cdef bint pair, best
    cdef Situation* at
    for number in range(SITUATIONS):
        at = &all_situations[number]
        if number < FIRST_DRAW:
            at.stage = 1
            at.bets = number % 4
            rest = number // 4
        elif number < FIRST_ROUND2:
            at.stage = 2
            rest = number - FIRST_DRAW
            at.x_drew = rest % 3
            at.history = rest // 3 % HISTORIES
            rest //= 3 * HISTORIES
        else:
            at.stage = 3
            rest = number - FIRST_ROUND2
            at.bets = rest % 4
            at.y_drew = rest // 4 % 3
            at.x_drew = rest // 12 % 3
            at.history = rest // 36 % HISTORIES
            rest //= 36 * HISTORIES
        rank = rank_of_number[rest]
        at.hand = rank
        pair = rank >= 10
        best = rank == HANDS - 1
        if at.stage == 2:
            # Best hand: keep it. Other pairs: none or both. With a four: not both.
            at.allowed = 1 if best else 5 if pair else 3 if high_card[rank] == 4 else 7
        else:
            at.allowed = 1 << CALL
            if at.bets > 0 and not best:
                at.allowed |= 1 << FOLD
            if at.bets < 3:
                at.allowed |= 1 << RAISE
                if best and at.stage == 3:
                    at.allowed = 1 << RAISE


describe_hands()
describe_situations()


def allowed_actions():
    """Which actions a generated strategy may take: a row of three for each situation, bool."""
    cdef int number, action
    allowed = np.zeros((SITUATIONS, 3), dtype=bool)
    for number in range(SITUATIONS):
        for action in range(3):
            allowed[number, action] = all_situations[number].allowed >> action & 1
    return allowed


cdef void propose(const Situation* at, uint64_t stream, uint64_t number, double* chances) noexcept nogil:
    """A uniform point on the simplex of the allowed actions: the gaps between sorted uniform numbers."""
    cdef double u = <double>(stream_word(stream, 2 * number) >> 11) * (1.0 / 9007199254740992.0)
    cdef double v = <double>(stream_word(stream, 2 * number + 1) >> 11) * (1.0 / 9007199254740992.0)
    chances[0] = chances[1] = chances[2] = 0
    if at.allowed == 7:
        chances[0] = min(u, v)
        chances[1] = max(u, v) - min(u, v)
        chances[2] = 1 - max(u, v)
    elif at.allowed == 3:
        chances[0] = u
        chances[1] = 1 - u
    elif at.allowed == 5:
        chances[0] = u
        chances[2] = 1 - u
    elif at.allowed == 6:
        chances[1] = u
        chances[2] = 1 - u
    else:
        chances[at.allowed >> 1] = 1    # the only one


def random_strategy(uint64_t seed):
    """Where generation starts: each situation a uniform point on the simplex of its allowed actions."""
    cdef uint64_t stream = stream_key(seed, 0)
    cdef double chances[3]
    cdef int number, action
    strategy = np.zeros((SITUATIONS, 3))
    cdef double[:, ::1] rows = strategy
    for number in range(SITUATIONS):
        propose(&all_situations[number], stream, number, chances)
        for action in range(3):
            rows[number, action] = chances[action]
    return strategy


cdef double choose(
    Mode mode, double tremble, double* own, double* regret,
    double first, double second, double third, bint has_first, bint has_third,
) noexcept nogil:
    """The value of a decision with these values of its actions; `own` and `regret` have a hand's column of Actions."""
    cdef double best, value, total
    if mode == TREMBLE:
        if has_first and has_third:
            best = max(first, second, third)
            return best + tremble * (first + second + third - 3 * best)
        best = first if has_first else third
        return max(best, second) + tremble * (min(best, second) - max(best, second))
    if mode == FIXED:
        return own[0] * first + own[HANDS] * second + own[2 * HANDS] * third
    if mode == PERFECT:
        own[0] = own[HANDS] = own[2 * HANDS] = 0
        if has_third and third > second and (not has_first or third > first):
            own[2 * HANDS] = 1
            return third
        if has_first and first > second:
            own[0] = 1
            return first
        own[HANDS] = 1
        return second
    value = own[0] * first + own[HANDS] * second + own[2 * HANDS] * third
    if has_first:
        regret[0] = max(0.0, regret[0] + first - value)
    regret[HANDS] = max(0.0, regret[HANDS] + second - value)
    if has_third:
        regret[2 * HANDS] = max(0.0, regret[2 * HANDS] + third - value)
    total = regret[0] + regret[HANDS] + regret[2 * HANDS]
    if total > 0:
        own[0] = regret[0] / total
        own[HANDS] = regret[HANDS] / total
        own[2 * HANDS] = regret[2 * HANDS] / total
    return value


cdef inline void showdown(const double* reach, double stake, double* values) noexcept nogil:
    """What each hand wins against hands of this reach."""
    cdef double total = 0
    cdef double below = 0
    cdef int rank
    for rank in range(HANDS):
        total += reach[rank]
    for rank in range(HANDS):
        values[rank] = stake * (2 * below + reach[rank] - total)
        below += reach[rank]


cdef inline double total_of(const double* values) noexcept nogil:
    cdef double total = 0
    cdef int rank
    for rank in range(HANDS):
        total += values[rank]
    return total


cdef inline void product(const double* reach, const double* chances, double* into) noexcept nogil:
    cdef int rank
    for rank in range(HANDS):
        into[rank] = reach[rank] * chances[rank]


cdef void spread_draw(const double* drawing, int count, double* into) noexcept nogil:
    """From the reach of hands that exchange so many cards to that of the hands they become."""
    cdef double kept[5]
    cdef double total
    cdef int rank, card
    if count == 0:
        memcpy(into, drawing, HANDS * sizeof(double))
    elif count == 1:
        for card in range(5):
            kept[card] = 0
        for rank in range(HANDS):
            kept[high_card[rank]] += 0.2 * drawing[rank]
            into[rank] = 0
        for card in range(5):
            for rank in range(5):
                into[replaced[10 + card][rank]] += kept[card]
    else:
        total = total_of(drawing)
        for rank in range(HANDS):
            into[rank] = total * chance[rank]


cdef void gather_draw(const double* values, int count, double* into) noexcept nogil:
    """From the values of hands after exchanging so many cards to those of the hands before."""
    cdef double mean = 0
    cdef double kept[5]
    cdef int rank, card
    if count == 0:
        memcpy(into, values, HANDS * sizeof(double))
    elif count == 1:
        for card in range(5):
            kept[card] = 0
            for rank in range(5):
                kept[card] += 0.2 * values[replaced[10 + card][rank]]
        for rank in range(HANDS):
            into[rank] = kept[high_card[rank]]
    else:
        for rank in range(HANDS):
            mean += chance[rank] * values[rank]
        for rank in range(HANDS):
            into[rank] = mean


cdef inline int bets_of(int history) noexcept nogil:
    return history if history <= 3 else history - 3


cdef inline bint touches(int bets, int history) noexcept nogil:
    """Whether what the server does in round 1, facing so many bets, changes its reach at that end of the round."""
    if bets == 0:
        return history == 0 or history >= 4
    if bets == 1:
        return 1 <= history <= 3
    if bets == 2:
        return history >= 5
    return history == 3


cdef inline void copy_hands(double* into, const double* values) noexcept nogil:
    memcpy(into, values, HANDS * sizeof(double))


cdef inline double trembling2(double tremble, double first, double second) noexcept nogil:
    cdef double best = first if first > second else second
    return best + tremble * (first + second - 2 * best)


cdef inline double trembling3(double tremble, double first, double second, double third) noexcept nogil:
    cdef double best = first if first > second else second
    best = best if best > third else third
    return best + tremble * (first + second + third - 3 * best)


cdef void trembling_round2(
    double tremble, double[SHOWDOWNS][HANDS] shown,
    double won1, double won2, double won3, double lost1, double lost2, double lost3, double* values,
) noexcept nogil:
    cdef double raised, checked, betted
    cdef int hand
    for hand in range(HANDS):
        raised = trembling2(tremble, lost3, shown[3][hand])
        checked = trembling3(tremble, lost1, shown[1][hand], won2 + shown[2][hand] + raised)
        betted = trembling3(tremble, lost2, shown[5][hand], won3 + shown[6][hand])
        values[hand] = trembling2(tremble, shown[0][hand] + checked, won1 + shown[4][hand] + betted)


cdef void level(Strategy* strategy, bint of_bot) noexcept:
    """All legal actions alike."""
    cdef Actions* acts = <Actions*>strategy
    cdef int number, bets, action, hand
    cdef int count = sizeof(Strategy) // sizeof(Actions)
    for number in range(count):
        # Round 1, then the draws, then round 2: the bets faced are the number modulo 4 but for the draws.
        bets = number % 4 if number < 4 else (number - 4 - 3 * HISTORIES) % 4 if number >= 4 + 3 * HISTORIES else -1
        for hand in range(HANDS):
            for action in range(3):
                if bets < 0:
                    acts[number][action][hand] = 1.0 / 3
                elif (bets == 0 and action == FOLD) or (bets == 3 and action == RAISE):
                    acts[number][action][hand] = 0
                else:
                    acts[number][action][hand] = 0.5 if bets == 0 or bets == 3 else 1.0 / 3


cdef void normalise(const Strategy* sums, Strategy* into) noexcept:
    """The average behind weighted sums; what was never reached stays as it is."""
    cdef const Actions* summed = <const Actions*>sums
    cdef Actions* acts = <Actions*>into
    cdef int number, action, hand
    cdef double total
    for number in range(<int>(sizeof(Strategy) // sizeof(Actions))):
        for hand in range(HANDS):
            total = summed[number][0][hand] + summed[number][1][hand] + summed[number][2][hand]
            if total > 0:
                for action in range(3):
                    acts[number][action][hand] = summed[number][action][hand] / total


cdef inline void add_weighted(double weight, const double* reach, Actions acts, Actions sums) noexcept nogil:
    cdef int action, hand
    for action in range(3):
        for hand in range(HANDS):
            sums[action][hand] += weight * reach[hand] * acts[action][hand]


@cython.final
cdef class Duel:
    """A server's strategy, what a bot makes of it, and how the two change.

    `strategy` has SITUATION_COUNT rows of three probabilities in a file's order.
    Values are chips a hand, antes of 1 and bets of `bet1` and `bet2`. `tremble`
    is the probability of each wrong action of the trembling opponent.
    """

    def __cinit__(self):
        self.server = <Strategy*>calloc(1, sizeof(Strategy))
        self.bot = <Strategy*>calloc(1, sizeof(Strategy))
        if self.server == NULL or self.bot == NULL:
            raise MemoryError

    def __dealloc__(self):
        cdef int side
        free(self.server)
        free(self.bot)
        for side in range(2):
            free(self.regrets[side])
            free(self.sums[side])

    def __init__(self, const double[:, ::1] strategy, int bet1, int bet2, double tremble=0.001):
        cdef int number, action
        cdef double* row
        if strategy.shape[0] != SITUATIONS or strategy.shape[1] != 3:
            raise ValueError(f"a strategy has {SITUATIONS} rows of 3")
        self.situations = all_situations
        self.bet1 = bet1
        self.bet2 = bet2
        self.tremble = tremble
        for number in range(SITUATIONS):
            row = self.row(&self.situations[number])
            for action in range(3):
                row[action * HANDS] = strategy[number, action]
        self.mode = TREMBLE
        self.current = self.value_all()

    # What the server's strategy is worth.

    def trembling_value(self):
        """What the server wins a hand against the trembling opponent."""
        self.mode = TREMBLE
        self.current = self.value_all()
        return -self.current

    def kept_value(self):
        """The trembling value as `climb` keeps it, worked out piece by piece."""
        return -self.current

    def value(self):
        """What the server wins a hand against a perfect opponent."""
        return -self.perfect()

    def best_response(self):
        """The perfect opponent's strategy: BOT_SITUATIONS rows, as `expectation` takes them."""
        self.perfect()
        return self.bot_strategy()

    def expectation(self, const double[:, ::1] bot):
        """What a bot of this strategy wins a hand.

        Rows of three probabilities: fold, call or check, raise or bet, by hand
        and bets faced in round 1; draw 0, 1, 2 by hand and history; round 2 as in
        a server's strategy, by hand, history, what bot and server drew, bets faced.
        """
        cdef double value
        if bot.shape[0] != BOT_ROWS or bot.shape[1] != 3:
            raise ValueError(f"a bot's strategy has {BOT_ROWS} rows of 3")
        self.read_bot(bot)
        self.mode = FIXED
        value = self.value_all()
        self.mode = TREMBLE
        self.value_all()
        return value

    def strategy(self):
        """The server's strategy as it is now."""
        cdef int number, action
        cdef double* row
        found = np.zeros((SITUATIONS, 3))
        cdef double[:, ::1] rows = found
        for number in range(SITUATIONS):
            row = self.row(&self.situations[number])
            for action in range(3):
                rows[number, action] = row[action * HANDS]
        return found

    cdef double perfect(self):
        cdef double value
        self.mode = PERFECT
        value = self.value_all()
        self.mode = TREMBLE
        self.value_all()
        return value

    cdef double* bot_row(self, int number) noexcept:
        cdef int rest
        if number < HANDS * 4:
            return &self.bot.round1[number % 4][0][rank_of_number[number // 4]]
        rest = number - HANDS * 4
        if rest < HANDS * HISTORIES:
            return &self.bot.drawing[rest % HISTORIES][0][0][rank_of_number[rest // HISTORIES]]
        rest -= HANDS * HISTORIES
        return &self.bot.round2[rest // 36 % HISTORIES][rest // 12 % 3][rest // 4 % 3][rest % 4][0][
            rank_of_number[rest // (36 * HISTORIES)]
        ]

    def bot_strategy(self):
        """The bot's strategy as last noted."""
        cdef int number, action
        cdef double* row
        found = np.zeros((BOT_ROWS, 3))
        cdef double[:, ::1] rows = found
        for number in range(BOT_ROWS):
            row = self.bot_row(number)
            for action in range(3):
                rows[number, action] = row[action * HANDS]
        return found

    cdef void read_bot(self, const double[:, ::1] bot):
        cdef int number, action
        cdef double* row
        for number in range(BOT_ROWS):
            row = self.bot_row(number)
            for action in range(3):
                row[action * HANDS] = bot[number, action]

    cdef double* row(self, const Situation* at) noexcept nogil:
        """The server's probability of a situation's first action; the others come HANDS further on each."""
        if at.stage == 1:
            return &self.server.round1[at.bets][0][at.hand]
        if at.stage == 2:
            return &self.server.drawing[at.history][at.x_drew][0][at.hand]
        return &self.server.round2[at.history][at.x_drew][at.y_drew][at.bets][0][at.hand]

    cdef void reach_round1(self) noexcept nogil:
        """Reach at the ends of round 1, and what folds in it are worth."""
        cdef Actions* acts = self.server.round1
        cdef double raised[HANDS]
        cdef double folded[HANDS]
        product(chance, acts[0][CALL], self.after[0].reach)
        product(chance, acts[0][RAISE], self.after[4].reach)
        product(self.after[4].reach, acts[2][CALL], self.after[5].reach)
        product(self.after[4].reach, acts[2][RAISE], self.after[6].reach)
        product(chance, acts[1][CALL], self.after[1].reach)
        product(chance, acts[1][RAISE], self.after[2].reach)
        product(self.after[2].reach, acts[3][CALL], self.after[3].reach)
        product(chance, acts[1][FOLD], folded)
        self.folds[0] = total_of(folded)
        product(self.after[4].reach, acts[2][FOLD], folded)
        self.folds[1] = (1 + self.bet1) * total_of(folded)
        product(self.after[2].reach, acts[3][FOLD], raised)
        self.folds[2] = (1 + 2 * self.bet1) * total_of(raised)

    cdef void reach_draw(self, int history, int x_drew) noexcept nogil:
        cdef After* here = &self.after[history]
        cdef double drawing[HANDS]
        cdef int y_drew
        for y_drew in range(3):
            product(here.reach, self.server.drawing[history][x_drew][y_drew], drawing)
            spread_draw(drawing, y_drew, here.reach_drawn[x_drew][y_drew])

    cdef void value_round2(self, int history, int x_drew, int y_drew) noexcept nogil:
        """The bot's values in round 2, by his hand."""
        cdef After* here = &self.after[history]
        cdef Actions* acts = self.server.round2[history][x_drew][y_drew]
        cdef Actions* own = self.bot.round2[history][x_drew][y_drew]
        cdef Actions* regret = NULL
        cdef double* reach = here.reach_drawn[x_drew][y_drew]
        cdef double* values = here.round2[x_drew][y_drew]
        cdef double base = 1 + bets_of(history) * self.bet1
        cdef double bet = self.bet2
        cdef double reached[SHOWDOWNS][HANDS]
        cdef double shown[SHOWDOWNS][HANDS]
        cdef double folded[HANDS]
        cdef double checked, betted, raised, won1, won2, won3, lost1, lost2, lost3
        cdef double* no_regret = &shown[0][0]    # never looked at but when learning
        cdef int hand
        if self.mode == LEARN:
            regret = self.regrets[0].round2[history][x_drew][y_drew]
        # He checks: called; raised; then raises himself and is called; or is raised once more.
        product(reach, acts[0][CALL], reached[0])
        product(reach, acts[0][RAISE], reached[1])
        product(reached[1], acts[2][CALL], reached[2])
        product(reached[1], acts[2][RAISE], reached[3])
        # He bets: called; raised; then raises himself and is called.
        product(reach, acts[1][CALL], reached[4])
        product(reach, acts[1][RAISE], reached[5])
        product(reached[5], acts[3][CALL], reached[6])
        showdown(reached[0], base, shown[0])
        showdown(reached[1], base + bet, shown[1])
        showdown(reached[2], base + 2 * bet, shown[2])
        showdown(reached[3], base + 3 * bet, shown[3])
        showdown(reached[4], base + bet, shown[4])
        showdown(reached[5], base + 2 * bet, shown[5])
        showdown(reached[6], base + 3 * bet, shown[6])
        product(reach, acts[1][FOLD], folded)
        won1 = base * total_of(folded)
        product(reached[1], acts[2][FOLD], folded)
        won2 = (base + bet) * total_of(folded)
        product(reached[5], acts[3][FOLD], folded)
        won3 = (base + 2 * bet) * total_of(folded)
        lost1 = -base * total_of(reached[1])
        lost2 = -(base + bet) * total_of(reached[5])
        lost3 = -(base + 2 * bet) * total_of(reached[3])
        if self.mode == TREMBLE:    # the same as below, in a loop without calls: climbing is made of it
            trembling_round2(self.tremble, shown, won1, won2, won3, lost1, lost2, lost3, values)
            return
        for hand in range(HANDS):
            raised = choose(
                self.mode, 0, &own[3][0][hand], &regret[3][0][hand] if regret else no_regret,
                lost3, shown[3][hand], 0, True, False,
            )
            checked = choose(
                self.mode, 0, &own[1][0][hand], &regret[1][0][hand] if regret else no_regret,
                lost1, shown[1][hand], won2 + shown[2][hand] + raised, True, True,
            )
            betted = choose(
                self.mode, 0, &own[2][0][hand], &regret[2][0][hand] if regret else no_regret,
                lost2, shown[5][hand], won3 + shown[6][hand], True, True,
            )
            values[hand] = choose(
                self.mode, 0, &own[0][0][hand], &regret[0][0][hand] if regret else no_regret,
                0, shown[0][hand] + checked, won1 + shown[4][hand] + betted, False, True,
            )

    cdef void value_drawn(self, int history, int x_drew) noexcept nogil:
        """The bot's values of drawing so many cards, by his hand before."""
        cdef After* here = &self.after[history]
        cdef double values[HANDS]
        cdef int hand
        for hand in range(HANDS):
            values[hand] = here.round2[x_drew][0][hand] + here.round2[x_drew][1][hand] + here.round2[x_drew][2][hand]
        gather_draw(values, x_drew, here.drawn[x_drew])

    cdef void value_history(self, int history) noexcept nogil:
        cdef After* here = &self.after[history]
        cdef Actions* own = &self.bot.drawing[history][0]
        cdef double* regret
        cdef int hand
        for hand in range(HANDS):
            regret = &self.regrets[0].drawing[history][0][0][hand] if self.mode == LEARN else &own[0][0][hand]
            here.value[hand] = choose(
                self.mode, self.tremble, &own[0][0][hand], regret,
                here.drawn[0][hand], here.drawn[1][hand], here.drawn[2][hand], True, True,
            )

    cdef double value_start(self) noexcept nogil:
        cdef Actions* own = self.bot.round1
        cdef Actions* regret = own
        cdef double lost1 = -total_of(self.after[4].reach)
        cdef double lost2 = -(1 + self.bet1) * total_of(self.after[2].reach)
        cdef double lost3 = -(1 + 2 * self.bet1) * total_of(self.after[6].reach)
        cdef double checked, betted, raised
        cdef double value = 0
        cdef int hand
        if self.mode == LEARN:
            regret = self.regrets[0].round1
        for hand in range(HANDS):
            raised = choose(
                self.mode, self.tremble, &own[3][0][hand], &regret[3][0][hand],
                lost3, self.after[6].value[hand], 0, True, False,
            )
            checked = choose(
                self.mode, self.tremble, &own[1][0][hand], &regret[1][0][hand],
                lost1, self.after[4].value[hand], self.folds[1] + self.after[5].value[hand] + raised, True, True,
            )
            betted = choose(
                self.mode, self.tremble, &own[2][0][hand], &regret[2][0][hand],
                lost2, self.after[2].value[hand], self.folds[2] + self.after[3].value[hand], True, True,
            )
            value += chance[hand] * choose(
                self.mode, self.tremble, &own[0][0][hand], &regret[0][0][hand],
                0, self.after[0].value[hand] + checked, self.folds[0] + self.after[1].value[hand] + betted, False, True,
            )
        return value

    cdef void refresh_history(self, int history) noexcept nogil:
        cdef int x_drew, y_drew
        for x_drew in range(3):
            self.reach_draw(history, x_drew)
            for y_drew in range(3):
                self.value_round2(history, x_drew, y_drew)
            self.value_drawn(history, x_drew)
        self.value_history(history)

    cdef double value_all(self) noexcept nogil:
        """What the bot wins a hand, all worked out anew."""
        cdef int history
        self.reach_round1()
        for history in range(HISTORIES):
            self.refresh_history(history)
        return self.value_start()

    # How servers are made.

    def climb(self, uint64_t seed, int64_t first_step, int64_t steps):
        """Steps of hill climbing from number `first_step` on, cycling over the situations; how many were kept.

        Each proposes a random distribution for its situation, and keeps it if the
        trembling value rises. Only what the situation touches is worked out again.
        """
        cdef uint64_t stream = stream_key(seed, 1)
        cdef int64_t step
        cdef int64_t kept = 0
        cdef const Situation* at
        cdef double proposed[3]
        cdef double before[3]
        cdef double* row
        cdef double value
        cdef int action
        with nogil:
            self.mode = TREMBLE
            for step in range(first_step, first_step + steps):
                at = &self.situations[step % SITUATIONS]
                if at.allowed & (at.allowed - 1) == 0:
                    continue    # forced
                propose(at, stream, <uint64_t>step, proposed)
                row = self.row(at)
                for action in range(3):
                    before[action] = row[action * HANDS]
                    row[action * HANDS] = proposed[action]
                self.keep(at)
                value = self.refresh(at)
                if value < self.current:
                    self.current = value
                    kept += 1
                    continue
                for action in range(3):
                    row[action * HANDS] = before[action]
                self.bring_back(at)
        return kept

    cdef double refresh(self, const Situation* changed) noexcept nogil:
        """What the bot wins, after the server changed what it does there."""
        cdef int history, y_drew
        if changed.stage == 3:
            self.value_round2(changed.history, changed.x_drew, changed.y_drew)
            self.value_drawn(changed.history, changed.x_drew)
            self.value_history(changed.history)
        elif changed.stage == 2:
            self.reach_draw(changed.history, changed.x_drew)
            for y_drew in range(3):
                self.value_round2(changed.history, changed.x_drew, y_drew)
            self.value_drawn(changed.history, changed.x_drew)
            self.value_history(changed.history)
        else:
            self.reach_round1()
            for history in range(HISTORIES):
                if touches(changed.bets, history):
                    self.refresh_history(history)
        return self.value_start()

    cdef void keep(self, const Situation* changed) noexcept nogil:
        """Put aside what `refresh` will write over."""
        cdef After* here = &self.after[changed.history]
        cdef After* there = &self.spare[changed.history]
        cdef int history
        if changed.stage == 1:
            memcpy(self.spare_folds, self.folds, sizeof(self.folds))
            for history in range(HISTORIES):
                if touches(changed.bets, history):
                    self.spare[history] = self.after[history]
        elif changed.stage == 2:
            there[0] = here[0]
        else:
            copy_hands(there.round2[changed.x_drew][changed.y_drew], here.round2[changed.x_drew][changed.y_drew])
            copy_hands(there.drawn[changed.x_drew], here.drawn[changed.x_drew])
            copy_hands(there.value, here.value)

    cdef void bring_back(self, const Situation* changed) noexcept nogil:
        """Undo what `refresh` wrote since `keep`."""
        cdef After* here = &self.after[changed.history]
        cdef After* there = &self.spare[changed.history]
        cdef int history
        if changed.stage == 1:
            memcpy(self.folds, self.spare_folds, sizeof(self.folds))
            for history in range(HISTORIES):
                if touches(changed.bets, history):
                    self.after[history] = self.spare[history]
        elif changed.stage == 2:
            here[0] = there[0]
        else:
            copy_hands(here.round2[changed.x_drew][changed.y_drew], there.round2[changed.x_drew][changed.y_drew])
            copy_hands(here.drawn[changed.x_drew], there.drawn[changed.x_drew])
            copy_hands(here.value, there.value)

    # Equilibria.

    def solve(self, int64_t first_iteration, int64_t iterations):
        """Iterations of CFR+ from number `first_iteration` (0 starts anew) on; (server, bot) strategies on average.

        Both sides' averages are weighted by the iteration's number. The duel's own
        strategies are those that learn; make another duel to value an average.
        """
        cdef int side
        cdef int64_t iteration
        for side in range(2):
            if self.regrets[side] == NULL:
                self.regrets[side] = <Strategy*>calloc(1, sizeof(Strategy))
                self.sums[side] = <Strategy*>calloc(1, sizeof(Strategy))
                if self.regrets[side] == NULL or self.sums[side] == NULL:
                    raise MemoryError
            if first_iteration == 0:
                memset(self.regrets[side], 0, sizeof(Strategy))
                memset(self.sums[side], 0, sizeof(Strategy))
        if first_iteration == 0:
            level(self.server, False)
            level(self.bot, True)
        with nogil:
            for iteration in range(first_iteration, first_iteration + iterations):
                self.weight = <double>(iteration + 1)
                self.mode = LEARN
                self.value_all()
                self.answer_all()
        self.mode = TREMBLE
        return self.averages()

    def best_answer(self, const double[:, ::1] bot):
        """What a server can at best win a hand against a bot of this strategy."""
        cdef Strategy before = self.server[0]
        cdef double value
        self.read_bot(bot)
        self.mode = PERFECT
        value = self.answer_all()
        self.server[0] = before
        self.mode = TREMBLE
        return value

    def averages(self):
        """The (server, bot) strategies that `solve` has on average."""
        cdef Strategy server = self.server[0]
        cdef Strategy bot = self.bot[0]
        level(self.server, False)
        level(self.bot, True)
        normalise(self.sums[1], self.server)
        normalise(self.sums[0], self.bot)
        found = self.strategy(), self.bot_strategy()
        self.server[0] = server
        self.bot[0] = bot
        return found

    cdef double answer_all(self) noexcept nogil:
        """What the server wins a hand against the bot's strategy, from the server's side of every decision."""
        cdef Actions* own = self.bot.round1
        cdef double checking[HANDS]
        cdef double betting[HANDS]
        cdef double reach[HISTORIES][HANDS]     # of the bot's hands at the ends of round 1
        cdef double worth[HISTORIES][HANDS]     # to the server, by its hand
        cdef double folding[HANDS]
        cdef double fold1, fold2, fold3, second, value
        cdef Actions* acts = self.server.round1
        cdef Actions* regret = acts
        cdef int history, hand
        product(chance, own[0][CALL], checking)
        product(chance, own[0][RAISE], betting)
        copy_hands(reach[0], checking)
        copy_hands(reach[1], betting)
        product(betting, own[2][CALL], reach[2])
        product(betting, own[2][RAISE], reach[3])
        product(checking, own[1][CALL], reach[4])
        product(checking, own[1][RAISE], reach[5])
        product(reach[5], own[3][CALL], reach[6])
        product(checking, own[1][FOLD], folding)
        fold1 = total_of(folding)
        product(betting, own[2][FOLD], folding)
        fold2 = (1 + self.bet1) * total_of(folding)
        product(reach[5], own[3][FOLD], folding)
        fold3 = (1 + 2 * self.bet1) * total_of(folding)
        if self.mode == LEARN:
            regret = self.regrets[1].round1
            add_weighted(self.weight, chance, own[0], self.sums[0].round1[0])
            add_weighted(self.weight, checking, own[1], self.sums[0].round1[1])
            add_weighted(self.weight, betting, own[2], self.sums[0].round1[2])
            add_weighted(self.weight, reach[5], own[3], self.sums[0].round1[3])
            add_weighted(self.weight, chance, acts[0], self.sums[1].round1[0])
            add_weighted(self.weight, chance, acts[1], self.sums[1].round1[1])
            add_weighted(self.weight, self.after[4].reach, acts[2], self.sums[1].round1[2])
            add_weighted(self.weight, self.after[2].reach, acts[3], self.sums[1].round1[3])
        for history in range(HISTORIES):
            self.answer_history(history, reach[history], worth[history])
        value = 0
        for hand in range(HANDS):
            second = choose(
                self.mode, 0, &acts[2][0][hand], &regret[2][0][hand],
                -(1 + self.bet1) * total_of(reach[5]), worth[5][hand], fold3 + worth[6][hand], True, True,
            )
            value += chance[hand] * choose(
                self.mode, 0, &acts[0][0][hand], &regret[0][0][hand],
                0, worth[0][hand], fold1 + worth[4][hand] + second, False, True,
            )
            second = choose(
                self.mode, 0, &acts[3][0][hand], &regret[3][0][hand],
                -(1 + 2 * self.bet1) * total_of(reach[3]), worth[3][hand], 0, True, False,
            )
            value += chance[hand] * choose(
                self.mode, 0, &acts[1][0][hand], &regret[1][0][hand],
                -total_of(betting), worth[1][hand], fold2 + worth[2][hand] + second, True, True,
            )
        return value

    cdef void answer_history(self, int history, const double* reach, double* worth) noexcept nogil:
        """The server's values of an end of round 1 that the bot's hands reach so, by its hand before the draw."""
        cdef double drawing[HANDS]
        cdef double drawn[HANDS]
        cdef double after[HANDS]
        cdef double values[3][HANDS]
        cdef Actions* acts
        cdef double* regret
        cdef int x_drew, y_drew, hand
        if self.mode == LEARN:
            add_weighted(self.weight, reach, self.bot.drawing[history][0], self.sums[0].drawing[history][0])
        for hand in range(HANDS):
            worth[hand] = 0
        for x_drew in range(3):
            acts = &self.server.drawing[history][x_drew]
            product(reach, self.bot.drawing[history][0][x_drew], drawing)
            spread_draw(drawing, x_drew, drawn)
            for y_drew in range(3):
                self.answer_round2(history, x_drew, y_drew, drawn, after)
                gather_draw(after, y_drew, values[y_drew])
            if self.mode == LEARN:
                add_weighted(
                    self.weight, self.after[history].reach, acts[0], self.sums[1].drawing[history][x_drew]
                )
            for hand in range(HANDS):
                regret = &acts[0][0][hand]
                if self.mode == LEARN:
                    regret = &self.regrets[1].drawing[history][x_drew][0][hand]
                worth[hand] += choose(
                    self.mode, 0, &acts[0][0][hand], regret,
                    values[0][hand], values[1][hand], values[2][hand], True, True,
                )

    cdef void answer_round2(
        self, int history, int x_drew, int y_drew, const double* reach, double* values
    ) noexcept nogil:
        """The server's values in round 2, by its hand, where the bot's hands have this reach."""
        cdef Actions* own = self.bot.round2[history][x_drew][y_drew]
        cdef Actions* acts = self.server.round2[history][x_drew][y_drew]
        cdef Actions* regret = acts
        cdef Actions* sums
        cdef double base = 1 + bets_of(history) * self.bet1
        cdef double bet = self.bet2
        cdef double checking[HANDS]
        cdef double betting[HANDS]
        cdef double called1[HANDS]
        cdef double raising1[HANDS]
        cdef double called2[HANDS]
        cdef double raising2[HANDS]
        cdef double called3[HANDS]
        cdef double folding[HANDS]
        cdef double shown[SHOWDOWNS][HANDS]
        cdef double* server_reach
        cdef double won1, won2, won3, lost1, lost2, lost3, second
        cdef int hand
        product(reach, own[0][CALL], checking)
        product(reach, own[0][RAISE], betting)
        product(checking, own[1][CALL], called1)
        product(checking, own[1][RAISE], raising1)
        product(raising1, own[3][CALL], called3)
        product(betting, own[2][CALL], called2)
        product(betting, own[2][RAISE], raising2)
        if self.mode == LEARN:
            regret = self.regrets[1].round2[history][x_drew][y_drew]
            sums = self.sums[0].round2[history][x_drew][y_drew]
            add_weighted(self.weight, reach, own[0], sums[0])
            add_weighted(self.weight, checking, own[1], sums[1])
            add_weighted(self.weight, betting, own[2], sums[2])
            add_weighted(self.weight, raising1, own[3], sums[3])
            sums = self.sums[1].round2[history][x_drew][y_drew]
            server_reach = self.after[history].reach_drawn[x_drew][y_drew]
            add_weighted(self.weight, server_reach, acts[0], sums[0])
            add_weighted(self.weight, server_reach, acts[1], sums[1])
            product(server_reach, acts[0][RAISE], folding)
            add_weighted(self.weight, folding, acts[2], sums[2])
            product(server_reach, acts[1][RAISE], folding)
            add_weighted(self.weight, folding, acts[3], sums[3])
        product(checking, own[1][FOLD], folding)
        won1 = base * total_of(folding)
        product(betting, own[2][FOLD], folding)
        won2 = (base + bet) * total_of(folding)
        product(raising1, own[3][FOLD], folding)
        won3 = (base + 2 * bet) * total_of(folding)
        lost1 = -base * total_of(betting)
        lost2 = -(base + bet) * total_of(raising1)
        lost3 = -(base + 2 * bet) * total_of(raising2)
        showdown(checking, base, shown[0])
        showdown(called1, base + bet, shown[1])
        showdown(raising1, base + 2 * bet, shown[2])
        showdown(called3, base + 3 * bet, shown[3])
        showdown(betting, base + bet, shown[4])
        showdown(called2, base + 2 * bet, shown[5])
        showdown(raising2, base + 3 * bet, shown[6])
        for hand in range(HANDS):
            second = choose(
                self.mode, 0, &acts[2][0][hand], &regret[2][0][hand],
                lost2, shown[2][hand], won3 + shown[3][hand], True, True,
            )
            values[hand] = choose(
                self.mode, 0, &acts[0][0][hand], &regret[0][0][hand],
                0, shown[0][hand], won1 + shown[1][hand] + second, False, True,
            )
            second = choose(
                self.mode, 0, &acts[3][0][hand], &regret[3][0][hand],
                lost3, shown[6][hand], 0, True, False,
            )
            values[hand] += choose(
                self.mode, 0, &acts[1][0][hand], &regret[1][0][hand],
                lost1, shown[4][hand], won2 + shown[5][hand] + second, True, True,
            )
