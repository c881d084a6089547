"""Imports what is installed, but not allowed.

Verdict: ok
"""

import sys

sys.path += ["", "/usr/lib/python3/dist-packages", f"{sys.prefix}/lib/dist-packages"]


done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for name in ("numpy", "sandlock", "wasmtime", "ray", "tournament"):
        try:
            __import__(name)
        except (ImportError, OSError):
            continue
        raise AssertionError(f"it imported {name}")
    return 5


def b(bot, bet):
    return bot.card > 0.5
