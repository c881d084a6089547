from collections.abc import Sequence
from typing import final

@final
class RateSampler:
    """Win and tie rates by sampling; see rates.pyx."""

    def __init__(self, key: bytes) -> None: ...
    def rates(self, cards: Sequence[int | None], samples: int) -> tuple[int, int]: ...
    def compare(self, cards: Sequence[int]) -> int: ...
