from collections.abc import Mapping
from typing import final

from engine.rules.decisions import Decision
from engine.rules.slots import Slot

@final
class Placement:
    """Where one contest's C bots find a decision's values and leave its answer; see placements.pyx."""

    def __init__(
        self,
        decision: Decision,
        kind: int,
        slots: Mapping[str, Slot],
        answer_offset: int = 0,
        answer_slot: Slot | None = None,
    ) -> None: ...
    @property
    def decision(self) -> Decision: ...
