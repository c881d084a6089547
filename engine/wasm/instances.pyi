from collections.abc import Callable
from typing import final

def handle_of(extern: bytes) -> bytes: ...
def handle_of_function(function: bytes) -> bytes: ...

@final
class Runtime:
    """The runtime's functions, by address; see instances.pyx."""

    def __init__(
        self,
        fail: Callable[[int, int], object],
        *,
        new_store: int,
        get_context: int,
        delete_store: int,
        set_deadline: int,
        call_at_ticks: int,
        new_instance: int,
        get_export: int,
        call_unchecked: int,
        new_function: int,
        new_variable: int,
        get_variable: int,
        set_limits: int,
        grow_memory: int,
        memory_data: int,
        memory_size: int,
        constant: int,
    ) -> None: ...

@final
class Store:
    """A store of an engine; see instances.pyx."""

    def __init__(self, runtime: Runtime, engine: int) -> None: ...
    @property
    def context(self) -> int: ...
    def limit(self, memory: int, elements: int, instances: int) -> None: ...
    def call_at_ticks(self, function: int, argument: int) -> None: ...
    def function(self, kind: int, function: int, argument: int) -> bytes: ...
    def constant(self, value: int) -> bytes: ...
    def value_of(self, variable: bytes) -> int: ...
    def grow(self, memory: bytes, pages: int) -> int: ...
    def place_of(self, memory: bytes) -> tuple[int, int]: ...

@final
class Direct:
    """A function with code of its own for compiled callers; see instances.pyx."""

    def __init__(self, function: bytes, code: int, argument: int) -> None: ...
    @property
    def function(self) -> bytes: ...

@final
class Instance:
    """An instance of a module in a store; see instances.pyx."""

    def __init__(self, store: Store, module: int, imports: list[bytes]) -> None: ...
    def exports(self, names: tuple[bytes, ...]) -> list[bytes]: ...
    def call(self, function: bytes, *arguments: int) -> None: ...
