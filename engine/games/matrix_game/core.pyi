from collections.abc import Sequence
from typing import final

import numpy as np

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table

MOST_TURNS: int
MAX_MOVES: int
BOT_BYTES: int
GAME_ROW: np.dtype[np.void]
SESSION_ROW: np.dtype[np.void]

@final
class MatrixGame(GameCore):
    """One leg of a repeated matrix game; see core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        *,
        deals_key: bytes,
        sessions: int,
        row_payoffs: Sequence[Sequence[float]],
        column_payoffs: Sequence[Sequence[float]],
        turns_per_game: int,
        games_per_session: int = 1,
        noise: float = 0.0,
        end_probability: float = 0.0,
        match: int = 0,
        first_session: int = 0,
        seats_swapped: bool = False,
        move_names: Sequence[str] = (),
    ) -> None: ...
