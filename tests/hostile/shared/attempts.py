"""What hostile bots that make ATTEMPTS have in common: each must be refused, and then they play on."""

done = False


def a(bot):
    global done
    if not done:
        done = True
        for number, attempt in enumerate(ATTEMPTS):
            try:
                result = attempt()
            except (OSError, ImportError, RuntimeError, ValueError, MemoryError):
                continue
            raise AssertionError(f"attempt {number} gave {result}")
    return 5


def b(bot, bet):
    return bot.card > 0.5
