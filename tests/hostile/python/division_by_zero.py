"""Divides by zero.

Verdict: disqualified: ZeroDivisionError
"""


def a(bot):
    return 1 // 0


def b(bot, bet):
    return bot.card > 0.5
