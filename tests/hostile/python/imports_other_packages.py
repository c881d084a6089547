# Imports what is installed, but not allowed.
# Verdict: ok
import os
import sys

from look_once import a, b

BESIDE_THE_LIBRARY = f"{os.path.dirname(os.__file__)}/site-packages"
sys.path += ["", "/usr/lib/python3/dist-packages", f"{sys.prefix}/lib/dist-packages", BESIDE_THE_LIBRARY]


def look():
    for name in ("numpy", "wasmtime", "ray", "tournament", "pip", "setuptools", "six"):
        try:
            __import__(name)
        except (ImportError, OSError):
            continue
        raise AssertionError(f"it imported {name}")
    try:
        found = os.listdir(BESIDE_THE_LIBRARY)
    except OSError:
        return
    assert not found, f"it saw {found[:3]}"
