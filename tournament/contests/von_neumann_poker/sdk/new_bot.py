"""{name}: bets its best cards for value and its worst as bluffs; calls when the price is right.

Written by `tournament new`; make it yours.
"""

# Globals last for a whole match, and so does bot.f, a list of 50 numbers, zeros at first: both are new
# at the start of the next one. The standard library is there; `random` needs no seed, it has one.


def a(bot):
    """As A: return how many dollars to bet; 0 or less passes.

    The controller cuts a bet to $50, to bot.money and to bot.opponents_money.
    """
    # bot.card is this game's card, at least 0 and less than 1.
    if bot.card > 0.7 or bot.card < 0.1:
        return 50
    return 0


def b(bot, bet):
    """As B, facing a bet of so many dollars: return False (or 0) to fold, True to call."""
    # Calling costs the bet to win the pot: $20 of antes and A's bet.
    price = bet / (20 + 2 * bet)

    # Also there: bot.opponents_previous_card (negative after a fold), bot.money, bot.opponents_money.
    return bot.card > 0.4 + price / 2


# A class with the methods a(self, bot) and b(self, bot, bet) will do as well: each match has an object of
# its own, and what it learns may lie in its attributes.
