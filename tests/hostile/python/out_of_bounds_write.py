"""Writes where it has no memory.

Verdict: disqualified: SIGSEGV
"""

import ctypes


def a(bot):
    ctypes.memset(8, 0, 8)


def b(bot, bet):
    return bot.card > 0.5
