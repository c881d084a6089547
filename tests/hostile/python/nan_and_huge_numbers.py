"""Bets what is no number, and more than there is.

Verdict: ok
"""

import fractions
import itertools

BETS = itertools.cycle(
    [float("nan"), float("inf"), float("-inf"), 1e308, -1e308, 10**400, -(10**400), True, fractions.Fraction(7, 2)]
)


def a(bot):
    return next(BETS)


def b(bot, bet):
    return float("nan")
