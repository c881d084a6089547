"""Has more data than a bot's memory.

Verdict: broken: ran out of memory
"""

DATA = bytearray(10**10)


def a(bot):
    return 0


def b(bot, bet):
    return bot.card > 0.5
