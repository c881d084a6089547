from collections.abc import Callable, Sequence
from io import TextIOBase
from typing import TextIO, final

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
class Value:
    def __init__(self, number: int) -> None: ...
    def __get__(self, instance: View | None, owner: type[View] | None = None, /) -> object: ...
    def __set__(self, instance: View, value: object, /) -> None: ...
    def __delete__(self, instance: View, /) -> None: ...

class LegOutput(TextIOBase):
    def __init__(self, clean: Callable[[str], str], stream: TextIO | None) -> None: ...
    def write(self, text: str) -> int: ...

def explained(explain: Callable[[BaseException], str], problem: BaseException) -> bytes: ...
def serve(
    questions: int,
    answers: int,
    new_leg: Callable[[int], tuple[View, tuple[Callable[..., object] | None, ...]]],
    explain: Callable[[BaseException], str],
    *,
    parameters: Sequence[Sequence[tuple[int, str]]],
    view_size: int,
    passes_view: bool,
    histories: tuple[int, Sequence[tuple[str, int]]] = (0, ()),
    told_numbers: tuple[Sequence[int], ...] | None = None,
    returns: Sequence[str] = (),
    most_json: int = 0,
) -> None: ...
