"""What hostile bots that `look` once have in common: what they get at fails them; then they play on."""

done = False


def a(bot):
    global done
    if not done:
        done = True
        look()
    return 5


def b(bot, bet):
    return bot.card > 0.5
