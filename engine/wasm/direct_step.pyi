from typing import final

from engine.wasm.referee import Referee

RUNTIMES: tuple[str, ...]
is_on: bool

@final
class DirectStep:
    """A referee's step for compiled callers. See direct_step.pyx."""

    def __init__(self, function: bytes, referee: Referee) -> None: ...
    @property
    def function(self) -> bytes: ...

def direct_step(function: bytes, referee: Referee, version: str) -> DirectStep | None: ...
