from typing import final

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table

GAME_ROW: np.dtype[np.void]
SESSION_ROW: np.dtype[np.void]
SITUATION_COUNT: int
MAX_BETS: int

@final
class CompiledStrategy:
    """A server's strategy as thresholds of a die; see core.pyx."""

    def __init__(self, strategy: npt.NDArray[np.float64]) -> None: ...

@final
class TwoCardDraw(GameCore):
    """One session of two-card draw against a server; see core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        *,
        deals_key: bytes,
        hands: int,
        bet1: int,
        bet2: int,
        server: CompiledStrategy,
        match: int = 0,
        session: int = 0,
    ) -> None: ...
