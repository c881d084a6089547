from collections.abc import Sequence
from typing import final

from engine.processes.lines import _QuestionShape

@final
class QuestionWriter:
    def __init__(
        self,
        view_size: int,
        questions: Sequence[_QuestionShape],
        tells_values: bool,
    ) -> None: ...
