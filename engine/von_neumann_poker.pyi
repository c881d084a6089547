from typing import final

from engine.game_core import GameCore
from engine.records import Table

STACK: int
ANTE: int
BET_LIMIT: int
GAMES_PER_SESSION: int

@final
class VonNeumannPoker(GameCore):
    """One leg of one-card von Neumann poker; see von_neumann_poker.pyx."""

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
    ) -> None: ...
