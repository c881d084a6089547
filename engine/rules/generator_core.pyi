from collections.abc import Generator, Sequence
from typing import Any

from typing_extensions import disjoint_base

from engine.kernel.game_core import GameCore

OVER: object

@disjoint_base
class GeneratorCore(GameCore):
    """One leg that a Python generator drives; see generator_core.pyx."""

    outcome: Any
    failure: BaseException | None
    def __init__(self, questions: Generator[tuple[int, Sequence[int]], int, Any]) -> None: ...
