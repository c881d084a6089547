from collections.abc import Sequence
from typing import Any, Protocol, final

BOT_FAULTY: int
BOT_OUT_OF_MEMORY: int
CHANNEL_FAILED: int
WROTE_NO_ANSWER: int

class _Dialogue(Protocol):
    def question_lines(self) -> Sequence[str]: ...
    def read_line(self, line: bytes) -> Any: ...

@final
class Channels:
    """Made by Lanes only; see channels.pyx."""

    def open(
        self,
        to_bot: int,
        from_bot: int,
        errors: int,
        *,
        lines: bool,
        greeting: bytes = b"",
        dialogue: _Dialogue | None = None,
    ) -> int: ...
    def close(self, number: int) -> None: ...
    def unsent(self, number: int) -> bytes: ...
    def is_outstanding(self, number: int) -> tuple[bool, int, bool]: ...
    def printed(self, number: int) -> bytes: ...
    def take_printed(self, number: int) -> bytes: ...
    def drain_all(self) -> None: ...
