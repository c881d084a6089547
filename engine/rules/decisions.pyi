from collections.abc import Mapping
from typing import Any, final

from typing_extensions import disjoint_base

from engine.rules.shapes import Shape

LEGAL_ACTIONS: str
SEATING: tuple[str, ...]
MAX_ANSWER_BYTES: int

@disjoint_base
class Decision:
    """A decision that a bot is asked for; see decisions.pyx."""

    def __init__(
        self,
        name: str,
        values: Mapping[str, Shape],
        *,
        answer: Shape,
        answer_bytes: int = 0,
        default: object = None,
        loses: bool = False,
        is_news: bool = False,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def answer_shape(self) -> Shape: ...
    @property
    def default(self) -> object: ...
    @property
    def loses(self) -> bool: ...
    @property
    def is_news(self) -> bool: ...
    @property
    def takes_numbers(self) -> bool: ...
    @property
    def leaves_answers(self) -> bool: ...
    @property
    def answer_bytes(self) -> int: ...
    def __call__(self, position: int, /, *, default: object = None, answer: Any = None, **values: Any) -> Question: ...
    def narrow(self, answer: Any, default: object) -> tuple[Shape, object]: ...

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
    def answer(self) -> Any: ...
    @property
    def default(self) -> Any: ...
    def plain(self) -> dict[str, Any]: ...
