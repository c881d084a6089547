from collections.abc import Sequence
from typing import Any, Protocol, final

from engine.rules.decisions import Asked, Decision

CHANCE: int
TURN: int
SIMULTANEOUS: int
OVER: int
SEAT: str

class _Rules(Protocol):
    """What a tree asks of a game; see GameTree."""

    def begin(self) -> Any: ...
    def describe(self, state: Any, /) -> Sequence[Any]: ...
    def advance(self, state: Any, action: Any, /) -> None: ...
    def ask(self, state: Any, player: int, first: int, /) -> Asked: ...

@final
class GameTree:
    """A game for two as a tree, made as it is played; see game_tree.pyx."""

    def __init__(self, rules: _Rules, decision: Decision, *, most_bytes: int) -> None: ...
    @property
    def decision(self) -> Decision: ...
    @property
    def nodes(self) -> int: ...
