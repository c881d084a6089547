from typing import final

@final
class RateHelpers:
    """Functions for WebAssembly bots; see rate_helpers.pyx."""

    def __init__(self, key: bytes, *, set_fuel: int, get_fuel: int, new_trap: int, context: int) -> None: ...
    @property
    def functions(self) -> dict[str, tuple[int, int]]: ...
