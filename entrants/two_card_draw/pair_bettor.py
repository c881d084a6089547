# A fixed rule of thumb: bets its pairs, draws sensibly, and folds hands that can hardly win.


def init(bet1, bet2):
    pass


def new_hand(card1, card2, winnings):
    return 1 if card1 == card2 else 0


def round1(card1, card2, bets):
    if card1 == card2 and card1 >= 3:
        return 2
    return 1 if card1 == card2 or card2 >= 3 or bets > 1 else 0


def draw(card1, card2, bets):
    if card1 == card2:
        return 0
    return 1 if card2 >= 2 else 2


def round2(card1, card2, bets1, bets2, drew):
    pair = card1 == card2
    if bets2 == 0:
        return 2 if pair and card1 >= 2 else 1
    if pair and card1 == 4:
        return 2
    return 1 if pair or (card2 == 4 and drew > 0) else 0


def showdown(card1, card2, opp1, opp2):
    pass
