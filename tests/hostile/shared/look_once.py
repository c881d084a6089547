"""Common code of hostile bots that `look` once. What they get at fails them, and otherwise they play on."""

done = False


def a(bot):
    global done
    if not done:
        done = True
        look()
    return 5


def b(bot, bet):
    return bot.card > 0.5
