from typing import final

from engine.wasm.fuel import Fuel

FUEL_PER_SECOND: int

@final
class Surroundings:
    """The functions that a WebAssembly bot's libc imports, and the end of the bot's output; see surroundings.pyx."""

    def __init__(self, key: bytes, *, fuel: Fuel, context: int) -> None: ...
    @property
    def functions(self) -> dict[str, tuple[int, int]]: ...
    @property
    def terminal(self) -> tuple[int, int]: ...
    @property
    def printed(self) -> bytes: ...
    def take_printed(self) -> bytes: ...
