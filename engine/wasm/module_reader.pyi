from collections.abc import Collection, Iterable
from typing import NamedTuple, final

class Refused(ValueError):
    """A module that can't be a bot; the message says why, to its author."""

class Unreadable(Refused):
    """Bytes that aren't a WebAssembly module, or have something in them that is unknown here."""

class Bound(NamedTuple):
    """The most that a call takes: instructions, and bytes of the runtime's stack."""

    instructions: int
    stack: int

@final
class Module:
    """What a module consists of; see the .pyx.

    `canonical`: its bytes with the NaNs that show made canonical. `exports`: exported functions, by index; `imported`:
    the names of imported ones.
    """

    @property
    def canonical(self) -> bytes: ...
    @property
    def exports(self) -> dict[str, int]: ...
    @property
    def imported(self) -> list[str]: ...
    @property
    def functions(self) -> int: ...
    @property
    def tags(self) -> int: ...
    @property
    def exported(self) -> int: ...
    @property
    def table_elements(self) -> int: ...
    @property
    def memory_pages(self) -> int: ...
    @property
    def has_start(self) -> bool: ...
    def constant_functions(self, names: Iterable[str]) -> frozenset[str]: ...
    def most_taken(self, names: Iterable[str], without_bound: Collection[str]) -> Bound | None: ...

def read_module(code: bytes) -> Module:
    """Read a module. Raises Unreadable, and Refused where it has too much, or something that bots may not have."""
