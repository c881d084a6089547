from collections.abc import Sequence
from typing import final

@final
class RateSampler:
    """Win and tie rates by sampling; see rates.pyx."""

    def __init__(self, key: int) -> None: ...
    def rates(self, cards: Sequence[int | None], samples: int) -> tuple[int, int]: ...
    def compare(self, cards: Sequence[int]) -> int: ...

@final
class RateHelpers:
    """Functions for WebAssembly bots; see rates.pyx."""

    def __init__(self, key: int, *, set_fuel: int, get_fuel: int, new_trap: int, context: int) -> None: ...
    @property
    def functions(self) -> dict[str, tuple[int, int]]: ...
