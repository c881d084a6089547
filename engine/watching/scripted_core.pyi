from collections.abc import Sequence
from typing import final

from engine.kernel.game_core import GameCore

@final
class ScriptedCore(GameCore):
    answers: list[int]
    def __init__(self, questions: Sequence[tuple[int, bytes]], view_size: int) -> None: ...
