from collections.abc import Sequence
from typing import final

@final
class Questions:
    def __init__(
        self,
        view_size: int,
        most_arguments: int,
        lines: Sequence[tuple[Sequence[tuple[int, int, bytes]], Sequence[tuple[bytes, bool, int]]]],
        tells_values: bool,
    ) -> None: ...
