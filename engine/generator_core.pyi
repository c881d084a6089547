from collections.abc import Generator, Sequence
from typing import Any, final

from engine.game_core import GameCore

@final
class GeneratorCore(GameCore):
    outcome: Any
    failure: Exception | None
    def __init__(self, questions: Generator[tuple[int, Sequence[int]], int, Any]) -> None: ...
