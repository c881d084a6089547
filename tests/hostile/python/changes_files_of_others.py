"""As the owner of files it changes their modes, owners and times.

Verdict: ok
"""

import os

done = False

ATTEMPTS = (
    lambda: os.chmod("@canary@", 0o777),
    lambda: os.chmod(os.__file__, 0o777),
    lambda: os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o777),
    lambda: os.chown("@canary@", 65534, 65534),
    lambda: os.lchown("@canary@", 65534, 65534),
    lambda: os.utime("@canary@", (1, 1)),
    lambda: os.utime(os.__file__, (1, 1)),
    lambda: os.setxattr("@canary@", "user.mark", b"1"),
    lambda: os.removexattr("@canary@", "user.mark"),
)


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
