"""odds: compares the price of a call with how often a hand as good as its own would win."""


def chance(view):
    """Guess roughly, from pairs with the board, and high cards."""
    values, board = ([card % 13 for card in cards] for cards in (view.cards, view.board))
    hits = sum(map(board.count, values)) + (values[0] == values[1])
    alone = 0.9 if hits > 1 else 0.3 * (1 + hits) + max(values) / 60
    return alone ** max(1, view.folded.count(0) - 1)


def act(view):
    good = chance(view)
    calls = good * (view.pot + view.to_call) >= view.to_call
    return "raise" if good > 0.7 else "call" if calls else "fold"


def raise_to(view):
    return max(view.bets) + view.pot // 2
