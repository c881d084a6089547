"""Looks at its opponent's cards in its file.

Verdict: ok
"""

done = False

ATTEMPTS = (lambda: open("@opponent@").read(),)


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
