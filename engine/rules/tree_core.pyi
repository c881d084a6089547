from typing import final

import numpy as np

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.game_tree import GameTree
from engine.rules.steps import Steps

GAME_ROW: np.dtype[np.void]
SESSION_ROW: np.dtype[np.void]

@final
class TreeCore(GameCore):
    """One leg along the tree of a game; see tree_core.pyx."""

    def __init__(
        self,
        games_table: Table,
        sessions_table: Table,
        tree: GameTree,
        *,
        deals_key: bytes,
        sessions: int,
        steps: Steps | None = None,
        match: int = 0,
        first_session: int = 0,
        seats_swapped: bool = False,
    ) -> None: ...
    @property
    def failure(self) -> BaseException | None: ...
