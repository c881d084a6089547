from collections.abc import Sequence
from typing import final

MOST_LINE_BYTES: int
MOST_ACTION_BYTES: int

_QuestionShape = tuple[bool, str, Sequence[tuple[str, str, int]]]

@final
class QuestionLines:
    def __init__(self, questions: Sequence[_QuestionShape]) -> None: ...
