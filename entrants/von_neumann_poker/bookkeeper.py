# Bookkeeper
# Keeps books on the opponent: the cards behind each bet, the answers to each size of bet; plays by what they say.

import random
from bisect import bisect_left, insort

SIZES = (2, 6, 12, 18, 27, 38, 50)  # bets to choose from; not 20, which stacks can't tell from a fold
BANDS = 100  # the plan has a bet for each hundredth of cards
PASS = -1


def usual_line(bet):
    """The lowest card that calls a bet, or nearly, when both play well."""
    return (2.8 + bet) / (20 + bet)


class Answers:
    """A page of the book: how the opponent answers one size of bet. It begins with a few answers made up."""

    def __init__(self, size):
        self.size = size
        self.asked = 4.0
        self.folds = 4 * usual_line(size)
        self.cards = []  # that it called with, in order

    def note(self, folded, card):
        if self.asked > 1000:  # old habits count for less
            self.asked /= 2
            self.folds /= 2
            del self.cards[::2]
        self.asked += 1
        self.folds += folded
        if card >= 0:
            insort(self.cards, card)

    def worth(self, card):
        """Dollars that the bet can be expected to win with a card, and something for curiosity."""
        folds = self.folds / self.asked
        if len(self.cards) < 20:  # too few to go by: as if it called with all cards from some line on
            beaten = max(0, card - folds) / (1.0001 - folds)
        else:
            beaten = bisect_left(self.cards, card) / len(self.cards)
        return 10 * folds + (1 - folds) * (10 + self.size) * (2 * beaten - 1) + 15 / self.asked


class Bookkeeper:
    def __init__(self):
        self.answers = [Answers(size) for size in SIZES]
        self.plan = []
        self.behind = {}  # cards that the opponent showed behind each bet, in order
        self.open = PASS  # the size whose answer isn't in the books yet, and the stack when it was bet
        self.stack = 0
        self.called = 0  # the bet that was called in the last game, if one was
        self.games = 0

    def a(self, bot):
        if self.called:
            insort(self.cards_behind(self.called), bot.opponents_previous_card)
            self.called = 0
        self.read_the_stacks(bot)
        if self.games % 100 == 0:
            self.plan = [self.best_size((band + 0.5) / BANDS) for band in range(BANDS)]
        self.games += 1
        size = self.plan[int(bot.card * BANDS)]
        if size == PASS:
            return 0
        if SIZES[size] <= min(bot.money, bot.opponents_money):  # else the bet is cut, and says little
            self.open = size
            self.stack = bot.money
        return SIZES[size]

    def b(self, bot, bet):
        if self.open != PASS:  # the last game was the bet's: a card was shown unless it was folded to
            self.answers[self.open].note(bot.opponents_previous_card < 0, bot.opponents_previous_card)
            self.open = PASS
        cards = self.cards_behind(bet)
        if len(cards) > 1000:
            del cards[::2]
        # A call breaks even when it wins this share of the pot: the card must beat as many of those behind the bet.
        price = bet / (20 + 2 * bet)
        calls = bot.card > cards[int(price * len(cards))] or random.random() < 0.01  # now and then to see one
        self.called = bet if calls else 0
        return calls

    def best_size(self, card):
        """The size of bet that is worth most with a card, or PASS."""
        sizes = range(PASS, len(SIZES))
        return max(sizes, key=lambda size: 10 * (2 * card - 1) if size == PASS else self.answers[size].worth(card))

    def cards_behind(self, bet):
        """The page of a bet; it begins with cards made up, so that the usual line is right."""
        if bet not in self.behind:
            line, price = usual_line(bet), bet / (20 + 2 * bet)
            bluffs = [line * (rank + 0.5) / (10 * price) for rank in range(int(10 * price))]
            goods = [line + (1 - line) * rank / (10 - len(bluffs)) for rank in range(10 - len(bluffs))]
            self.behind[bet] = bluffs + goods
        return self.behind[bet]

    def read_the_stacks(self, bot):
        """The opponent passed after our bet, so that its answer was not seen: what did the two games bring?"""
        gain, size = bot.money - self.stack, SIZES[self.open]
        if self.open != PASS and bot.money != bot.opponents_money:  # equal stacks may be a new session's
            if gain in (0, 20):
                self.answers[self.open].note(True, -1)
            elif abs(gain) in (size, size + 20):
                self.answers[self.open].note(False, -1)
        self.open = PASS
