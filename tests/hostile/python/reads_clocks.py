"""Asks what time it is, as it may.

Verdict: ok
"""

import time


def a(bot):
    assert time.time() > 1e9
    assert time.perf_counter() >= 0
    return 5


def b(bot, bet):
    return bot.card > 0.5
