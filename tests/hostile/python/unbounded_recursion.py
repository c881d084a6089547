"""Calls itself without end.

Verdict: disqualified: RecursionError
"""


def a(bot):
    return a(bot)


def b(bot, bet):
    return bot.card > 0.5
