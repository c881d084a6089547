from collections.abc import Sequence
from typing import Protocol, final

from engine.game_core import GameCore
from engine.records import Table
from engine.referee import Referee

LEG_ENDED: int
RECORDS_FULL: int
BOT_TRAPPED: int
BOT_FAULTY: int
BOT_OUT_OF_MEMORY: int
CHANNEL_FAILED: int

class Violation(Exception):
    """A program said what its dialogue doesn't allow; see lanes.pyx."""

class _Dialogue(Protocol):
    def asked(self) -> Sequence[str]: ...
    def said(self, line: bytes) -> str | int: ...

@final
class Lanes:
    def __init__(
        self,
        view_size: int,
        most_arguments: int,
        lines: Sequence[tuple[Sequence[tuple[int, int, bytes]], Sequence[tuple[bytes, bool, int]]]],
        *,
        tells_values: bool = False,
    ) -> None: ...
    def open_channel(
        self,
        to_bot: int,
        from_bot: int,
        errors: int,
        *,
        lines: bool,
        greeting: bytes = b"",
        dialogue: _Dialogue | None = None,
    ) -> int: ...
    def close_channel(self, number: int) -> bool: ...
    def unsent(self, number: int) -> bytes: ...
    def open_lane(
        self,
        core: GameCore,
        referee: Referee | None,
        games: Table,
        sessions: Table,
        channels: Sequence[int],
        slots: Sequence[int],
    ) -> int: ...
    def take_rows(self, lane_number: int) -> tuple[tuple[bytes, int], tuple[bytes, int]]: ...
    def start_bot(self, lane_number: int, seat: int, seed: int) -> None: ...
    def end_bot(self, lane_number: int, seat: int) -> None: ...
    def resume(self, lane_number: int, answer: int = 0) -> None: ...
    def drop(self, lane_number: int) -> None: ...
    def stop(self, lane_number: int) -> None: ...
    def change_channel(self, lane_number: int, seat: int, channel: int) -> None: ...
    def is_outstanding(self, number: int) -> tuple[bool, int]: ...
    def decisions(self, lane_number: int) -> tuple[int, int]: ...
    def complaints(self, number: int) -> bytes: ...
    def drain_all(self) -> None: ...
    def run(self, seconds: float) -> list[tuple[int, int, int, str]]: ...
