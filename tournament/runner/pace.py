"""The speed of a run. It begins with that of the recorded legs, which say how long each took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tournament.store.field import Batch
from tournament.worker.batch import Receipt

_MAX_SECONDS = 1e6  # limit of a leg, because records can be forged

# Seconds that this process needs for a task, until this many are measured.
_GUESSED_TO_SERVE, _MIN_TASKS = 0.001, 100
# Estimates before anything is measured: the speed in lanes, as a share of that without; seconds to start an unshared
# process, and seconds of a game in which it is asked.
LANES_SHARE = 0.1
_SECONDS_TO_START, _SECONDS_TO_ASK = 0.01, 4e-5


@dataclass
class _Kind:
    """The measured speed of one kind of legs. Until this run has measured it, that of earlier runs counts.

    Attributes:
        guessed_pace: Games per second of one worker before a measurement.
        games: Games of this run.
        seconds: Seconds of one worker for these games of this run.
        past_games: Games of earlier runs.
        past_seconds: Seconds of one worker for these games of earlier runs.
    """

    guessed_pace: float
    games: float = 0
    seconds: float = 0.0
    past_games: float = 0
    past_seconds: float = 0.0

    @property
    def pace(self) -> float:
        """Games per second of one worker: measured in this run, otherwise in earlier runs, otherwise guessed."""
        for games, seconds in ((self.games, self.seconds), (self.past_games, self.past_seconds)):
            if games and seconds:
                return games / seconds
        return self.guessed_pace

    @property
    def is_known(self) -> bool:
        """True if such legs have been measured."""
        return self.games > 0 or (self.past_games > 0 and self.past_seconds > 0)


@dataclass
class Pace:
    """The measured speed, for the size of tasks and the time left.

    Attributes:
        workers: Number of simultaneous tasks, which the caller can change during play.
        sessions_per_leg: Number of sessions of a leg.
        expected_games: Games of a session before a measurement.
        expected_rate: Games per second of a core, without processes, before a measurement.
        expected_starts: Mean number of unshared processes that a leg with processes starts. 0.0 by default.
        started: Time of the start in seconds, as `time.perf_counter` has it.
        games: Number of games that this run has played.
        sessions: Number of sessions that it has played.
        legs: Number of legs that it has played.
        legs_in_lanes: Number of played legs with processes.
        tasks: Number of finished tasks that were counted.
        waited: Seconds in which this process was idle, which the caller sets.
    """

    workers: int
    sessions_per_leg: int
    expected_games: float
    expected_rate: float
    expected_starts: float = 0.0
    started: float = field(default_factory=time.perf_counter)
    games: int = 0
    sessions: int = 0
    legs: int = 0
    legs_in_lanes: int = 0
    tasks: int = 0
    waited: float = 0.0
    _inline: _Kind = field(init=False)
    _lanes: _Kind = field(init=False)

    def __post_init__(self) -> None:
        self._inline = _Kind(self.expected_rate)
        games = self.sessions_per_leg * self.expected_games
        seconds = games / (LANES_SHARE * self.expected_rate)
        seconds += self.expected_starts * (_SECONDS_TO_START + games * _SECONDS_TO_ASK)
        self._lanes = _Kind(games / seconds)

    def note(self, receipt: Receipt) -> None:
        """Add the measurements of a receipt."""
        legs = [batch.legs for batch in receipt.batches]
        games = sum(int(several.games.sum()) for several in legs)
        self.tasks += 1
        self.legs += sum(map(len, legs))
        self.legs_in_lanes += receipt.legs_in_lanes
        self.games += games
        self.sessions += sum(int(several.sessions.sum()) for several in legs)
        self._lanes.games += receipt.games_in_lanes
        self._lanes.seconds += receipt.seconds_in_lanes
        self._inline.games += games - receipt.games_in_lanes
        # Both are measured separately, so a leg in lanes can seem to take longer than its task.
        self._inline.seconds += max(0.0, receipt.seconds - receipt.seconds_in_lanes)

    @property
    def seconds(self) -> float:
        """Wall-clock seconds since the start."""
        return time.perf_counter() - self.started

    def leg_seconds(self, in_lanes: bool) -> float:
        """Return a worker's seconds for a leg with processes, if `in_lanes`, or without."""
        games = self.games / self.sessions if self.sessions else self.expected_games
        return self.sessions_per_leg * games / (self._lanes if in_lanes else self._inline).pace

    @property
    def knows_lanes(self) -> bool:
        """True if legs in lanes have been measured."""
        return self._lanes.is_known

    @property
    def knows_inline(self) -> bool:
        """True if legs without lanes have been measured."""
        return self._inline.is_known

    @property
    def seconds_to_serve(self) -> float:
        """Seconds of this process for each task, to make it, send it out, commit it and rank it.

        Before 100 tasks it is a guess of 0.001.
        """
        if self.tasks < _MIN_TASKS:
            return _GUESSED_TO_SERVE
        return (self.seconds - self.waited) / self.tasks

    def worker_seconds(self, inline: int, in_lanes: int) -> float:
        """Return one worker's seconds for this many legs without processes, `inline`, and with, `in_lanes`."""
        return inline * self.leg_seconds(False) + in_lanes * self.leg_seconds(True)

    def seconds_for(self, inline: int, in_lanes: int) -> float:
        """Return the wall-clock seconds for this many legs if all workers share them equally.

        Args:
            inline: Number of legs without processes.
            in_lanes: Number of legs with processes.
        """
        return self.worker_seconds(inline, in_lanes) / self.workers

    def learn(self, batches: Sequence[Batch]) -> bool:
        """Use the speed of recorded legs until some are measured. Batches with a sandbox have legs in lanes.

        They replace the legs of an earlier call. A leg counts as at most a million seconds.

        Returns:
            Whether the speed of any kind of legs is known now, from the records or from this run.
        """
        for kind, some in (
            (self._inline, [batch.legs for batch in batches if not batch.sandbox]),
            (self._lanes, [batch.legs for batch in batches if batch.sandbox]),
        ):
            kind.past_games = sum(int(legs.games.sum()) for legs in some)
            kind.past_seconds = float(sum(legs.seconds.clip(0, _MAX_SECONDS).sum() for legs in some))
        return self.knows_lanes or self.knows_inline
