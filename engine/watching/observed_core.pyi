from collections.abc import Callable, Collection
from typing import Any, final

from engine.kernel.game_core import GameCore
from engine.kernel.sums import SeatSums

@final
class ObservedCore(GameCore):
    """Plays another core and writes down what is asked and answered; see observed_core.pyx."""

    core: GameCore
    def __init__(
        self,
        core: GameCore,
        *,
        first_session: int,
        last_session: int,
        first_game: int,
        last_game: int,
        most: int,
    ) -> None: ...
    @property
    def steps(
        self,
    ) -> list[tuple[int, int, int, int, bytes, dict[str, Any], int | None, bool, bool, bytes]]: ...
    @property
    def observes(self) -> bool: ...
    def listen(self, seat: int, printed: Callable[[], bytes]) -> None: ...
    def note_restart(self, seat: int) -> None: ...
    def skip_questions(self, seat: int, questions: Collection[int]) -> None: ...
    def write_views_to(self, seat: int, address: int) -> None: ...
    def sums(self) -> tuple[SeatSums, ...]: ...
    def told_values(self) -> dict[str, Any]: ...
    def check(self) -> None: ...
