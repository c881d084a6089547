"""Never answers.

Verdict: disqualified: processor time
"""


def a(bot):
    while True:
        pass


def b(bot, bet):
    return bot.card > 0.5
