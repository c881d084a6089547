from typing import final

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table

GAME_ROW: np.dtype[np.void]
SESSION_ROW: np.dtype[np.void]
STACK: int
CHECK: int
FOLD: int
BOB_NOT_ASKED: int
BOB_CHECKED: int
BOB_CALLED: int
BOB_FOLDED: int

@final
class HoldemTraining(GameCore):
    """One leg of Hold'em training against Bob; see core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        *,
        deals_key: bytes,
        sessions: int,
        hands: int,
        match: int = 0,
        first_session: int = 0,
        decks: npt.NDArray[np.uint8] | None = None,
    ) -> None: ...
    @property
    def hands(self) -> int: ...
    @property
    def bobs_answer(self) -> int: ...
    @property
    def profit(self) -> int: ...
