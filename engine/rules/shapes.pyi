from collections.abc import Iterable
from typing import Any, final

CODES: str

@final
class Shape:
    """A shape of values, with their limits; see shapes.pyx."""

    def __init__(
        self,
        code: str,
        low: float = 0,
        high: float = 0,
        most: int = -1,
        names: Iterable[str] = (),
        parts: Iterable[Shape] = (),
    ) -> None: ...
    @property
    def kind(self) -> str: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def parts(self) -> tuple[Shape, ...]: ...
    def holds(self, other: Shape) -> bool: ...
    def takes(self, value: Any) -> bool: ...
    def plain(self, value: Any) -> Any: ...
