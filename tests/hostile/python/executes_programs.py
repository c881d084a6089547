"""Becomes another program.

Verdict: ok
"""

import os
import sys

done = False

ATTEMPTS = (
    lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
    lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    lambda: os.execve(os.open(os.__file__, os.O_RDONLY), ["x"], {}),
    lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/sh"]),
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
