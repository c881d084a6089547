from collections.abc import Sequence
from typing import final

TEXT: int
ARGUMENT: int
MOST_PIECE: int
MOST_LINE_BYTES: int

@final
class QuestionLines:
    def __init__(
        self, lines: Sequence[tuple[Sequence[tuple[int, int, bytes]], Sequence[tuple[bytes, bool, int]]]]
    ) -> None: ...
