from collections.abc import Mapping, Sequence
from typing import Any, final

from typing_extensions import disjoint_base

LEGAL_ACTIONS: str
SIZES: dict[str, int]

@disjoint_base
class Decision:
    """A decision that a bot is asked for; see decisions.pyx."""

    def __init__(
        self,
        name: str,
        tells: Sequence[tuple[str, str, int, int, int]],
        *,
        low: int = ...,
        high: int = ...,
        default: int = 0,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def tells(self) -> tuple[tuple[str, str, int, int, int], ...]: ...
    @property
    def low(self) -> int: ...
    @property
    def high(self) -> int: ...
    @property
    def default(self) -> int: ...
    def place(self, kind: int, offsets: Mapping[str, int | tuple[int, int]]) -> None: ...
    def __call__(self, seat: int, /, *, default: int | None = None, **values: Any) -> Asked: ...

@final
class Asked:
    """A question as put to a seat; see decisions.pyx."""

    @property
    def decision(self) -> Decision: ...
    @property
    def seat(self) -> int: ...
    @property
    def values(self) -> dict[str, Any]: ...
    def plain(self) -> dict[str, Any]: ...
    def legal_actions(self) -> Sequence[int]: ...
