"""Prints without end.

Verdict: disqualified: processor time or did not answer
"""


def a(bot):
    while True:
        print("ACTION BET 50 " * 1000)


def b(bot, bet):
    return bot.card > 0.5
