from typing import final

import numpy as np

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table

GAME_ROW: np.dtype[np.void]
SESSION_ROW: np.dtype[np.void]
STACK: int
ANTE: int
BET_LIMIT: int
GAMES_PER_SESSION: int

@final
class VonNeumannPoker(GameCore):
    """One leg of one-card von Neumann poker; see core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        *,
        deals_key: bytes,
        sessions: int,
        match: int = 0,
        first_session: int = 0,
        seats_swapped: bool = False,
        cap_after_ante: bool = False,
        roles_by_session: bool = False,
    ) -> None: ...
