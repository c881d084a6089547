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
    """Compile what comes on standard input. `orders`: modules (of the package wasmtime), settings (of its engine)."""
    sys.meta_path.append(Packages(orders["modules"]))
    import wasmtime

    config = wasmtime.Config()
    for name, value in orders["settings"].items():
        setattr(config, name, value)
    engine = wasmtime.Engine(config)
    confine()
    try:
        wasmtime.Module(engine, sys.stdin.buffer.read())
    except wasmtime.WasmtimeError:
        return  # what is wrong with it is found again, in words, where it is to be played
