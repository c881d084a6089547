"""Imports what is installed, but not allowed.

Verdict: ok
"""

import os
import sys

BESIDE_THE_LIBRARY = f"{os.path.dirname(os.__file__)}/site-packages"
sys.path += ["", "/usr/lib/python3/dist-packages", f"{sys.prefix}/lib/dist-packages", BESIDE_THE_LIBRARY]

done = False


def a(bot):
    global done
    if done:
        return 5
    done = True
    for name in ("numpy", "sandlock", "wasmtime", "ray", "tournament", "pip", "setuptools", "six"):
        try:
            __import__(name)
        except (ImportError, OSError):
            continue
        raise AssertionError(f"it imported {name}")
    try:
        found = os.listdir(BESIDE_THE_LIBRARY)
    except OSError:
        return 5
    assert not found, f"it saw {found[:3]}"
    return 5


def b(bot, bet):
    return bot.card > 0.5
