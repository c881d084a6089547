"""Ends its process without a word.

Verdict: disqualified: ended
"""

import os


def a(bot):
    os._exit(0)


def b(bot, bet):
    return bot.card > 0.5
