from collections.abc import Iterable
from typing import final

from engine.kernel.game_core import GameCore
from engine.wasm.fuel import Fuel
from engine.wasm.watch import Watch

def number_of_function(seat: int, question: int, seats: int) -> int: ...

@final
class Referee:
    """A player of a core's WebAssembly bots. See referee.pyx."""

    def __init__(
        self,
        core: GameCore,
        *,
        context: int,
        fuels: Iterable[Fuel],
        fuel: int,
        bank: int,
        watch: Watch,
    ) -> None: ...
    @property
    def step_function(self) -> tuple[int, int]: ...
    def seat_bots(self, loop: bytes) -> None: ...
    def measure_fuel(self) -> None: ...
    def fuel_used(self, seat: int) -> tuple[int, int, int]: ...
    def fuel_left(self, seat: int) -> int: ...
    def play(self, answer: int = 0) -> int: ...
    def take_failure(self) -> tuple[int, int]: ...
