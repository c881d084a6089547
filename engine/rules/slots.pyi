from collections.abc import Iterable
from typing import final

@final
class Slot:
    """A slot for a value of some shape in a C bot's memory; see slots.pyx."""

    def __init__(
        self,
        value: int,
        *,
        size: int = 0,
        count: int = -1,
        lengths: int = -1,
        item: Slot | None = None,
        parts: Iterable[Slot] = (),
    ) -> None: ...
    @property
    def value(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def lengths(self) -> int: ...
