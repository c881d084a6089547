"""How fast a run goes, and so how many legs make a batch."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tournament.play import Receipt

# How long a batch plays: short at first, so that there is something to see, then long enough
# for its overhead not to matter.
_FIRST_SECONDS, _LONGEST_SECONDS = 0.25, 2.0


@dataclass
class Pace:
    """What was learned of speed, to cut batches by and to tell the time left.

    Before anything is measured, a session is expected to have `expected_games`,
    of which a core plays `expected_rate` a second.
    """

    workers: int
    sessions_per_leg: int
    expected_games: float
    expected_rate: float
    started: float = field(default_factory=time.perf_counter)
    games: int = 0
    sessions: int = 0
    legs: int = 0
    worker_seconds: float = 0.0

    def note(self, receipt: Receipt) -> None:
        self.legs += len(receipt.batch.legs)
        self.games += sum(leg.games for leg in receipt.batch.legs)
        self.sessions += sum(leg.sessions for leg in receipt.batch.legs)
        self.worker_seconds += receipt.seconds

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def leg_seconds(self) -> float:
        """What a leg takes of one worker."""
        pace = self.games / self.worker_seconds if self.games else self.expected_rate
        games = self.games / self.sessions if self.sessions else self.expected_games
        return self.sessions_per_leg * games / pace

    def legs_in_batch(self, legs_left: int) -> int:
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, self.seconds / 5))
        # Towards the end batches get smaller, so that all workers finish together.
        fair = legs_left / (2 * self.workers)
        return max(1, int(min(seconds / self.leg_seconds(), fair)))

    def seconds_for(self, legs: int) -> float:
        """How long all workers together will take for so many legs."""
        return legs * self.leg_seconds() / self.workers
