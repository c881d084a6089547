from collections.abc import Callable
from types import TracebackType
from typing import Self, final

class BrokenOff(BaseException):
    """Raised in a step of rules that is to end, or that begins after one was interrupted."""

@final
class Steps:
    """The steps of a core's rules; see steps.pyx."""

    stopping: Callable[[], bool] | None
    def __init__(self, seconds: float) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
    @property
    def seconds(self) -> float: ...
