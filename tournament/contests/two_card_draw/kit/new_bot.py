"""{name}: bets its pairs, draws sensibly, and folds hands that can hardly win.

Written by `tournament new`; make it yours.
"""


class TwoCardDraw:
    """New at the start of a session of 10,000 hands, in which the server always plays the same strategy: learn it."""

    def init(self, bet1: int, bet2: int) -> None:
        """Called once, before the first hand: what a bet costs in the first and in the second round."""
        self.showdowns_lost = 0

    def new_hand(self, card1: int, card2: int, winnings: int) -> int:
        """A new hand; cards are 0 to 4, card1 is not the higher one. 0 checks, 1 bets."""
        return int(card1 == card2)

    def round1(self, card1: int, card2: int, bets: int) -> int:
        """The server has raised, to so many bets. 0 folds, 1 calls, 2 raises, which after three bets is a call."""
        if card1 == card2 and card1 >= 3:
            return 2
        return int(card1 == card2 or card2 >= 3 or bets > 1)

    def draw(self, card1: int, card2: int, bets: int) -> int:
        """How many cards to exchange: 1 is the lower one."""
        if card1 == card2:
            return 0
        return 1 if card2 >= 2 else 2

    def round2(self, card1: int, card2: int, bets1: int, bets2: int, drew: int) -> int:
        """With bets2 0 you open: 1 checks, 2 bets. Else you face a raise: 0 folds, 1 calls, 2 raises."""
        pair = card1 == card2
        if bets2 == 0:
            return 2 if pair and card1 >= 2 else 1
        if pair and card1 == 4:
            return 2
        return int(pair or (card2 == 4 and drew > 0))

    def showdown(self, card1: int, card2: int, opp1: int, opp2: int) -> None:
        """Nobody folded: this is what both hold."""
        if opp1 == opp2 and card1 != card2:
            self.showdowns_lost += 1
