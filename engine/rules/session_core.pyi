import random
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any, final

from engine.kernel.chance import Rng
from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.decisions import Question
from engine.rules.placements import Placement
from engine.rules.steps import Steps

KINDS: tuple[str, ...]
ZERO_SUM_TOLERANCE: float

def points_columns(seats: int) -> dict[str, str]: ...
def bot_columns(seats: int) -> dict[str, str]: ...
def names_by_position(name: str, seats: int) -> list[str]: ...
def game_columns(seats: int, columns: Iterable[tuple[str, str, bool]]) -> dict[str, str]: ...
def session_columns(seats: int) -> dict[str, str]: ...

@final
class SessionCore(GameCore):
    """One leg by rules in Python; see session_core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        play_session: Callable[[Session], Generator[Question | Sequence[Question], Any]],
        columns: Iterable[tuple[str, str, bool]],
        placements: Iterable[Placement],
        *,
        deals_key: bytes,
        sessions: int,
        max_questions: int,
        steps: Steps | None = None,
        match: int = 0,
        first_session: int = 0,
        seats: int = 2,
        rotation: int = 0,
        zero_sum: bool = True,
        teams: Sequence[Sequence[int]] | None = None,
        house_seats: int = 0,
    ) -> None: ...

@final
class Session:
    """A session as its rules see it; see session_core.pyx."""

    def __init__(self, core: SessionCore) -> None: ...
    @property
    def number(self) -> int: ...
    @property
    def seats(self) -> int: ...
    @property
    def house(self) -> tuple[int, ...]: ...
    def next_seat(self, position: int) -> int: ...
    @property
    def games(self) -> int: ...
    @property
    def rng(self) -> Rng: ...
    @property
    def random(self) -> random.Random: ...
    def record(
        self, points: Iterable[float] | Mapping[int, float], /, **columns: float | Iterable[float] | Mapping[int, float]
    ) -> None: ...

def seating(session: Session) -> tuple[int, ...]: ...
