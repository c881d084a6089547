"""Imports what is installed, but not allowed.

Verdict: ok
"""

import sys


def a(bot):
    sys.path += ["", "/usr/lib/python3/dist-packages", f"{sys.prefix}/lib/dist-packages"]
    for name in ("numpy", "sandlock", "wasmtime", "ray", "tournament"):
        try:
            __import__(name)
        except (ImportError, OSError):
            continue
        raise AssertionError(f"it imported {name}")
    return 5


def b(bot, bet):
    return bot.card > 0.5
