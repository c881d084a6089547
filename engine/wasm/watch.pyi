from collections.abc import Callable, Iterable
from typing import final

from engine.wasm.fuel import Fuel

ANY_SEAT: int

@final
class Watch:
    """The time limits of one leg's bots. See watch.pyx."""

    def __init__(
        self,
        fuels: Iterable[Fuel],
        *,
        seconds: float,
        seconds_per_fuel: float,
        stopping: Callable[[], bool],
        measures_bots: bool = False,
        times_core: bool = False,
    ) -> None: ...
    @property
    def measures_bots(self) -> bool: ...
    @property
    def times_core(self) -> bool: ...
    @property
    def is_stopped(self) -> bool: ...
    @property
    def late(self) -> int: ...
    @property
    def interruption(self) -> BaseException | None: ...
    @property
    def callback(self) -> tuple[int, int]: ...
    def begin(self, seat: int) -> None: ...
    def end(self) -> bool: ...
    def used_by(self, seat: int) -> tuple[float, int]: ...
