from collections.abc import Iterable
from typing import final

FUEL: str
BEGIN: str

class Refused(ValueError):
    """Raised for a module that can't be a bot. The message tells its author why."""

@final
class Module:
    """The parts of a module; see modules.pyx."""

    @property
    def code(self) -> bytes: ...
    @property
    def exports(self) -> dict[str, int]: ...
    @property
    def imported(self) -> list[str]: ...
    @property
    def table_elements(self) -> int: ...
    @property
    def memory_pages(self) -> int: ...
    @property
    def has_start(self) -> bool: ...
    @property
    def changing_variables(self) -> tuple[str, ...] | None: ...
    def constant_functions(self, names: Iterable[str]) -> frozenset[str]: ...
    def metered(self) -> bytes: ...
    def origins(self, places: Iterable[int]) -> list[int]: ...

def read_module(code: bytes) -> Module:
    """Return the parts of a module that the runtime has validated.

    Raises:
        Refused: It is too large, or has too many of some part, or something that bots must not have.
        MemoryError: There isn't enough memory.
    """
