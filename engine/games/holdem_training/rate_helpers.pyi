from typing import final

from engine.wasm.fuel import Fuel

@final
class RateHelpers:
    """Functions for WebAssembly bots; see rate_helpers.pyx."""

    def __init__(self, key: bytes, *, fuel: Fuel | None = None) -> None: ...
    @property
    def functions(self) -> dict[str, tuple[int, int]]: ...
