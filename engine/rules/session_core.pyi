from collections.abc import Callable, Generator, Mapping
from typing import final

from engine.kernel.chance import Chance
from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.decisions import Asked
from engine.rules.steps import Steps

GAME_BEGINS: dict[str, str]
GAME_ENDS: dict[str, str]
SESSION_COLUMNS: dict[str, str]
KINDS: tuple[str, ...]

@final
class SessionCore(GameCore):
    """One leg by rules in Python; see session_core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        play_session: Callable[[Session], Generator[Asked, int]],
        columns: Mapping[str, str],
        *,
        deals_key: bytes,
        sessions: int,
        steps: Steps | None = None,
        match: int = 0,
        first_session: int = 0,
        seats_swapped: bool = False,
        zero_sum: bool = True,
    ) -> None: ...

@final
class Session:
    """A session as its rules see it; see session_core.pyx."""

    def __init__(self, core: SessionCore) -> None: ...
    @property
    def number(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def games(self) -> int: ...
    @property
    def chance(self) -> Chance: ...
    def record(self, points_0: float, points_1: float, /, **columns: float) -> None: ...
