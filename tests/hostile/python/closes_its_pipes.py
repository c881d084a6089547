"""Closes all its pipes and goes on.

Verdict: disqualified: closed its output or ended
"""

import os
import time


def a(bot):
    os.closerange(0, 1000)
    time.sleep(1000)


def b(bot, bet):
    return bot.card > 0.5
