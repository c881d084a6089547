"""Compiling a bot's WebAssembly for nobody, to see whether that ends: it does so in our own process later.

Runs inside the sandbox. The compiler is made for speed on honest modules; some
that fit into a few kilobytes take it hours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tournament.sandbox.python_host import Packages


def main(orders: dict[str, Any], confine: Callable[[], None]) -> None:
    """Compile what comes on standard input. `orders`: modules (of the package wasmtime), settings (of each engine)."""
    sys.meta_path.append(Packages(orders["modules"]))
    import wasmtime

    engines = []
    for settings in orders["settings"]:
        config = wasmtime.Config()
        for name, value in settings.items():
            setattr(config, name, value)
        engines.append(wasmtime.Engine(config))
    confine()
    code = sys.stdin.buffer.read()
    try:
        for engine in engines:
            wasmtime.Module(engine, code)
    except wasmtime.WasmtimeError:
        return  # what is wrong with it is found again, in words, where it is to be played
