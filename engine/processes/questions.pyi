from collections.abc import Sequence
from typing import final

# Whether it is news, its name, and of each value its name, struct code and offset.
_QuestionShape = tuple[bool, str, Sequence[tuple[str, str, int]]]

@final
class QuestionWriter:
    def __init__(self, view_size: int, questions: Sequence[_QuestionShape], tells_values: bool) -> None: ...
