"""What hostile bots have in common that attack when it is their turn to bet."""


def b(bot, bet):
    return bot.card > 0.5
