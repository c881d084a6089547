"""How fast a run goes, and so how many legs make a batch."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from tournament.worker.batch import Receipt

# How long a batch plays: short at first, so that there is something to see, then long enough
# for its overhead not to matter.
_FIRST_SECONDS, _LONGEST_SECONDS = 0.25, 2.0
# To write and commit a batch takes about as long.
_SHORTEST_SECONDS = 0.02
# Legs in lanes all end together, and the more there are the faster each goes.
_LANES_SECONDS = 20.0
_FEW_LANES, _MOST_LANES = 64, 4096
_MOST_UNMEASURED = 1024
# Before anything is measured: games in lanes to one that is played without.
_GUESSED_LANES_SHARE = 0.1


@dataclass
class _Kind:
    """What was learned of one kind of legs."""

    guessed_pace: float
    games: int = 0
    seconds: float = 0.0

    @property
    def pace(self) -> float:
        """Games a second of one worker."""
        return self.games / self.seconds if self.games and self.seconds else self.guessed_pace


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
    legs_in_lanes: int = 0
    _inline: _Kind = field(init=False)
    _lanes: _Kind = field(init=False)

    def __post_init__(self) -> None:
        self._inline = _Kind(self.expected_rate)
        self._lanes = _Kind(_GUESSED_LANES_SHARE * self.expected_rate)

    def note(self, receipt: Receipt) -> None:
        legs = [leg for batch in receipt.batches for leg in batch.legs]
        games = sum(leg.games for leg in legs)
        self.legs += len(legs)
        self.legs_in_lanes += receipt.legs_in_lanes
        self.games += games
        self.sessions += sum(leg.sessions for leg in legs)
        self._lanes.games += receipt.games_in_lanes
        self._lanes.seconds += receipt.seconds_in_lanes
        self._inline.games += games - receipt.games_in_lanes
        self._inline.seconds += receipt.seconds - receipt.seconds_in_lanes

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def leg_seconds(self, in_lanes: bool) -> float:
        """What a leg takes of one worker."""
        games = self.games / self.sessions if self.sessions else self.expected_games
        return self.sessions_per_leg * games / (self._lanes if in_lanes else self._inline).pace

    def batch_is_full(self, inline: int, in_lanes: int, inline_left: int, in_lanes_left: int) -> bool:
        """Whether a batch of so many legs of both kinds goes out, when so many are left with it."""
        # Towards the end batches get smaller, so that all workers finish together.
        if in_lanes:
            most = _MOST_LANES if self._lanes.games else _MOST_UNMEASURED
            if in_lanes >= most or in_lanes >= -(-in_lanes_left // self.workers):
                return True
            # Few lanes are slow, so they wait for more, but not while others play for long.
            enough = in_lanes >= _FEW_LANES or self.seconds_of_one(inline, 0) >= _LANES_SECONDS
            return enough and self.seconds_of_one(inline, in_lanes) >= _LANES_SECONDS
        fair = self.seconds_of_one(inline_left, 0) / (2 * self.workers)
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, self.seconds / 5), max(_SHORTEST_SECONDS, fair))
        return self.seconds_of_one(inline + 1, 0) > seconds

    def seconds_of_one(self, inline: int, in_lanes: int) -> float:
        """How long one worker takes for so many legs."""
        return inline * self.leg_seconds(False) + in_lanes * self.leg_seconds(True)

    def seconds_for(self, inline: int, in_lanes: int) -> float:
        """How long all workers together will take for so many legs."""
        return self.seconds_of_one(inline, in_lanes) / self.workers
