# Blender
# Bets good cards and bluffs in sizes drawn by chance, of each size in the proportion that gives a caller nothing.

import random

SIZES = (15, 30, 50)
EDGE = 0.13  # of all hands the share that bluffs


def a(bot):
    most = min(50, bot.money, bot.opponents_money)
    if bot.card < EDGE:
        # A bet of s wants s bluffs to every 20 + s good cards. Larger bets need better ones, and so have fewer
        # of them; all in all the sizes' bluffs come out nearly equal.
        return min(random.choice(SIZES), most)
    sizes = [size for size in SIZES if size <= most and bot.card > (1 + line(size)) / 2] or [most]
    return random.choice(sizes) if bot.card > (1 + line(sizes[0])) / 2 else 0


def b(bot, bet):
    return bot.card > line(bet)


def line(bet):
    """The card that breaks even when it calls a bet."""
    return 1 - (1 - EDGE) * 20 / (20 + bet)
