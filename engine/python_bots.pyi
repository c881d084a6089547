from collections.abc import Callable, Iterable, Sequence
from typing import final

from typing_extensions import disjoint_base

@disjoint_base
class View:
    f: list[float]

@final
class Field:
    def __init__(self, offset: int, code: str) -> None: ...
    def __get__(self, instance: View | None, owner: type[View] | None = None, /) -> float: ...
    def __set__(self, instance: View, value: float, /) -> None: ...

@final
class LegOutput:
    encoding: str
    errors: str
    closed: bool
    def write(self, text: str) -> int: ...
    def writelines(self, lines: Iterable[str]) -> None: ...
    def flush(self) -> None: ...
    def isatty(self) -> bool: ...
    def writable(self) -> bool: ...
    def readable(self) -> bool: ...

def serve(
    questions: int,
    answers: int,
    new_leg: Callable[[int], tuple[View, tuple[Callable[..., object] | None, ...]]],
    explain: Callable[[BaseException], str],
    *,
    argument_counts: Sequence[int],
    view_size: int,
    most_arguments: int,
    histories: tuple[int, Sequence[tuple[str, int]]] = (0, ()),
    tells_values: bool = False,
) -> None: ...
