from collections.abc import Mapping, Sequence
from typing import Any, final

from typing_extensions import disjoint_base

LEGAL_ACTIONS: str
SEATING: tuple[str, ...]
SIZES: dict[str, int]
MOST_ANSWER_BYTES: int

@disjoint_base
class Decision:
    """A decision that a bot is asked for; see decisions.pyx."""

    def __init__(
        self,
        name: str,
        values: Sequence[tuple[str, str, int, int, int, tuple[str, ...] | None]],
        *,
        answer: tuple[str, int, int, int, tuple[str, ...] | None],
        default: object = None,
        loses: bool = False,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def default(self) -> object: ...
    @property
    def loses(self) -> bool: ...
    @property
    def takes_numbers(self) -> bool: ...
    @property
    def leaves_answers(self) -> bool: ...
    @property
    def answer_bytes(self) -> int: ...
    def __call__(self, seat: int, /, *, default: object = None, **values: Any) -> Question: ...

@final
class Placement:
    """Where one contest's C bots find a decision's values and leave its answer; see decisions.pyx."""

    def __init__(
        self,
        decision: Decision,
        kind: int,
        offsets: Mapping[str, int | tuple[int, int]],
        answer_offset: int = 0,
        *,
        wide_actions: bool = False,
    ) -> None: ...
    @property
    def decision(self) -> Decision: ...

@final
class Illegal:
    """An illegal answer that loses the game; see decisions.pyx."""

    def __init__(self, answer: Any) -> None: ...
    @property
    def answer(self) -> Any: ...

@final
class Question:
    """A question to a position; see decisions.pyx."""

    @property
    def decision(self) -> Decision: ...
    @property
    def position(self) -> int: ...
    @property
    def values(self) -> dict[str, Any]: ...
    @property
    def default(self) -> Any: ...
    def plain(self) -> dict[str, Any]: ...
