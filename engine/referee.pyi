from typing import final

from engine.game_core import GameCore

PACKED_VALUES: int

@final
class Referee:
    """Plays a core with WebAssembly bots; see referee.pyx."""

    def __init__(
        self,
        core: GameCore,
        *,
        call_unchecked: int,
        set_fuel: int,
        get_fuel: int,
        set_deadline: int,
        context: int,
        questions: int,
        most_arguments: int,
        packed: bool,
        fuel: int,
        bank: int,
        seconds: float,
    ) -> None: ...
    @property
    def is_late(self) -> bool: ...
    @property
    def step_function(self) -> tuple[int, int]: ...
    def seat_bots(self, loop: bytes, x_seated: bool, y_seated: bool) -> None: ...
    def measure_fuel(self) -> None: ...
    def fuel_used(self, seat: int) -> tuple[int, int, int]: ...
    def fuel_left(self, seat: int) -> int: ...
    def charge(self, seat: int, fuel: int) -> None: ...
    def play(self, answer: int = 0) -> int: ...
    def take_failure(self) -> tuple[int, int]: ...
