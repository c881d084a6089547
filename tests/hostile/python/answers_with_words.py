"""Answers with words.

Verdict: disqualified: TypeError: returned a str
"""


def a(bot):
    return "all in"


def b(bot, bet):
    return bot.card > 0.5
