"""{name}: bets its pairs, and bluffs a server that folds to bets too often.

Written by `tournament new`; make it yours.
"""


class TwoCardDraw:
    """New at the start of a session of 10,000 hands, in which the server always plays the same strategy: learn it."""

    def init(self, bet1: int, bet2: int) -> None:
        """Called once, before the first hand: what a bet costs in the first and in the second round."""
        self.small_bet = bet1
        self.bets = self.folds = 0  # of ours to open a hand, and how often the server folded to them
        self.waiting = False  # for the server to answer our bet

    def new_hand(self, card1: int, card2: int, winnings: int) -> int:
        """A new hand; cards are 0 to 4, card1 is not the higher one. 0 checks, 1 bets."""
        # Nobody tells you that the server folded: but if it hadn't, round1 or draw would have come next.
        self.folds += self.waiting
        bluff = self.bets >= 20 and self.folds > (self.bets - self.folds) * self.small_bet
        self.waiting = card1 == card2 or bluff
        self.bets += self.waiting
        return int(self.waiting)

    def round1(self, card1: int, card2: int, count: int) -> int:
        """The server has raised, to `count` bets. 0 folds, 1 calls, 2 raises, which after three bets is a call."""
        self.waiting = False
        return int(card1 == card2 or card2 >= 3)

    def draw(self, card1: int, card2: int, count: int) -> int:
        """How many cards to exchange: 1 is the lower one."""
        self.waiting = False
        return 0 if card1 == card2 else 1

    def round2(self, card1: int, card2: int, bets1: int, bets2: int, drew: int) -> int:
        """With bets2 0 you open: 1 checks, 2 bets. Else you face a raise: 0 folds, 1 calls, 2 raises."""
        if card1 == card2:
            return 2 if bets2 == 0 else 1
        return int(bets2 == 0)

    def showdown(self, card1: int, card2: int, opp1: int, opp2: int) -> None:
        """Nobody folded: this is what both hold."""
