"""counter: believes a bid if the chance that the hidden dice make it true is above one in three."""

from math import comb

FACES = 6


def chance(needed, hidden):
    """That at least so many of so many hidden dice show a face."""
    if needed <= 0:
        return 1.0
    return sum(comb(hidden, n) * (1 / FACES) ** n * (1 - 1 / FACES) ** (hidden - n) for n in range(needed, hidden + 1))


def truth(bid, dice):
    """How likely a bid is to hold."""
    count, face = (bid - 1) // FACES + 1, (bid - 1) % FACES + 1
    return chance(count - dice.count(face), len(dice))


def bid(view):
    if view.last_bid and truth(view.last_bid, view.dice) < 1 / 3:
        return 0
    # The highest bid that is likely, the lowest if there is none; a challenge if all bids are made.
    bids = [action for action in view.legal_actions if action]
    likely = [action for action in bids if truth(action, view.dice) > 0.6]
    return likely[-1] if likely else bids[0] if bids else 0
