from collections.abc import Sequence
from typing import final

from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.processes.channels import Channels
from engine.processes.lines import _QuestionShape
from engine.wasm.referee import Referee

@final
class Questions:
    def __init__(
        self,
        view_size: int,
        most_arguments: int,
        questions: Sequence[_QuestionShape],
        tells_values: bool,
    ) -> None: ...

class Violation(Exception):
    """A program said what its dialogue doesn't allow; see lanes.pyx."""

@final
class Lanes:
    def __init__(
        self,
        view_size: int,
        most_arguments: int,
        questions: Sequence[_QuestionShape],
        *,
        tells_values: bool = False,
        most_text: int = 0,
    ) -> None: ...
    @property
    def channels(self) -> Channels: ...
    def open_lane(
        self,
        core: GameCore,
        referee: Referee | None,
        games: Table,
        sessions: Table,
        channels: Sequence[int],
        slots: Sequence[int],
        kept: bytes = b"",
        values: Sequence[object] = (),
    ) -> int: ...
    def start_bot(self, lane_number: int, seat: int, seed: int) -> None: ...
    def end_bot(self, lane_number: int, seat: int) -> None: ...
    def resume(self, lane_number: int, answer: int = 0) -> None: ...
    def resume_after_failure(self, lane_number: int) -> bool: ...
    def fails_again(self, lane_number: int) -> bool: ...
    def answers(self, lane_number: int) -> tuple[bytes, tuple[object, ...]]: ...
    def take_rows(self, lane_number: int) -> tuple[tuple[bytes, int], tuple[bytes, int]]: ...
    def drop(self, lane_number: int) -> None: ...
    def stop(self, lane_number: int, seat: int) -> bool: ...
    def change_channel(self, lane_number: int, seat: int, channel: int) -> None: ...
    def decisions(self, lane_number: int) -> tuple[int, ...]: ...
    def take_printed(self, lane_number: int, channel: int) -> bytes: ...
    def run(self, seconds: float) -> list[tuple[int, int, int, str]]: ...
