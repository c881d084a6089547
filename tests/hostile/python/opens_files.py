"""Reads what others wrote.

Verdict: ok
"""

import os

done = False

ATTEMPTS = (
    lambda: open("@canary@").read(),
    lambda: open("/etc/passwd").read(),
    lambda: open("/etc/shadow").read(),
    lambda: os.listdir("/tmp"),
    lambda: os.listdir("/"),
    lambda: os.listdir(os.path.expanduser("~")),
    lambda: os.listdir("."),
    lambda: os.open("@canary@", os.O_RDONLY | os.O_NOFOLLOW),
    lambda: os.open("/", os.O_RDONLY | os.O_DIRECTORY),
    lambda: open("/dev/mem", "rb"),
    lambda: open("/dev/kmsg"),
    lambda: open("/dev/vda", "rb"),
    lambda: open("/dev/tty"),
    lambda: os.getxattr("@canary@", "user.mark"),
    lambda: os.listxattr("@canary@"),
    lambda: os.chroot("/tmp"),
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
