"""Exits, as if the tournament were over.

Verdict: disqualified: SystemExit
"""

import sys


def a(bot):
    sys.exit(0)


def b(bot, bet):
    return bot.card > 0.5
