"""odds: compares the price of a call with how often a hand as good as its own would win."""


def chance(view):
    """A rough guess, from pairs with the board, and high cards."""
    values = [card % 13 for card in view.cards]
    hits = sum(value == card % 13 for value in values for card in view.board) + (values[0] == values[1])
    others = max(1, view.folded.count(0) - 1)
    alone = {0: 0.3 + max(values) / 60, 1: 0.6 + max(values) / 60}.get(hits, 0.9)
    return alone**others


def act(view):
    good = chance(view)
    if good > 0.7:
        return "raise"
    return "call" if good * (view.pot + view.to_call) >= view.to_call else "fold"


def raise_to(view):
    return max(view.bets) + view.pot // 2
