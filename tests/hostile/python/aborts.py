"""Aborts.

Verdict: disqualified: SIGABRT
"""

import os


def a(bot):
    os.abort()


def b(bot, bet):
    return bot.card > 0.5
