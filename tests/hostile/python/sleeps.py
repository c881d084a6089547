"""Sleeps over a decision.

Verdict: disqualified: did not answer
"""

import time


def a(bot):
    time.sleep(1000)


def b(bot, bet):
    return bot.card > 0.5
