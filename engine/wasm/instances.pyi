from collections.abc import Callable
from typing import final

from engine.wasm.fuel import Fuel

def open_pool(places: int) -> None: ...
def take_places(count: int) -> bool: ...
def handle_of(extern: bytes) -> bytes: ...
def handle_of_function(function: bytes) -> bytes: ...

@final
class Store:
    """A store of an engine; see instances.pyx."""

    def __init__(self, engine: int, places: int = 0) -> None: ...
    @property
    def context(self) -> int: ...
    def limit(self, memory: int, elements: int, instances: int) -> None: ...
    def call_at_ticks(self, function: int, argument: int) -> None: ...
    def function(self, kind: int, function: int, argument: int) -> bytes: ...
    def constant(self, value: int) -> bytes: ...
    def value_of(self, variable: bytes) -> int: ...
    def grow(self, memory: bytes, pages: int) -> int: ...
    def size_of(self, memory: bytes) -> int: ...
    def place_of(self, memory: bytes) -> tuple[int, int]: ...

@final
class Instance:
    """An instance of a module in a store; see instances.pyx."""

    def __init__(self, store: Store, module: int, imports: list[bytes]) -> None: ...
    def exports(self, names: tuple[bytes, ...]) -> list[bytes]: ...
    def call(self, name: bytes, *arguments: int) -> None: ...

@final
class StartedBot:
    """A bot that can be asked; see instances.pyx."""

    instance: Instance
    functions: list[bytes]
    memory: bytes
    counter: bytes
    address: bytes
    window: int

@final
class Program:
    """The constant parts of a compiled module's starts; see instances.pyx."""

    def __init__(
        self,
        module: object,
        address: int,
        exports: tuple[bytes, ...],
        called_first: tuple[bytes, ...],
        is_told: bool,
        pages: int,
    ) -> None: ...
    def start(
        self,
        store: Store,
        imports: list[bytes],
        seed_random: Callable[[int], None] | None,
        seed: int,
        fuel: Fuel,
        given: int,
    ) -> StartedBot: ...

@final
class KeptBot:
    """A bot that is started once and brought back to its start for each leg; see instances.pyx."""

    started: StartedBot
    window: int

    def __init__(
        self,
        program: Program,
        store: Store,
        imports: list[bytes],
        seed_random: Callable[[int], None] | None,
        variables: tuple[bytes, ...],
        fuel: Fuel,
        given: int,
        pages: int,
    ) -> None: ...
    @property
    def memory_bytes(self) -> int: ...
    def begin(self, fuel: Fuel, seed: int) -> bool: ...
