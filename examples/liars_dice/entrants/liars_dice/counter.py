"""counter: believes a bid if the chance that the hidden dice make it true is above one in three."""

from math import comb


def truth(bid, dice):
    """Return how likely a bid is to hold."""
    hidden, needed = len(dice), (bid - 1) // 6 + 1 - dice.count((bid - 1) % 6 + 1)
    return sum(comb(hidden, n) * 5 ** (hidden - n) for n in range(max(0, needed), hidden + 1)) / 6**hidden


def bid(view):
    if view.last_bid and truth(view.last_bid, view.dice) < 1 / 3:
        return 0
    # The highest bid that is likely, the lowest if there is none; a challenge if all bids are made.
    bids = [action for action in view.legal_actions if action]
    return ([action for action in bids if truth(action, view.dice) > 0.6] or bids[:1] or [0])[-1]
