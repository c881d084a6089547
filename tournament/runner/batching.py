"""The speed of a run, and from it how many legs go out together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tournament.leg import Leg
from tournament.probation import entrants_of
from tournament.runner.counting import Counted
from tournament.runner.schedule import Schedule
from tournament.store.legs import Legs
from tournament.worker.batch import Receipt

# How long a batch plays: short at first, so that there is something to see, then long enough
# for its overhead not to matter.
_FIRST_SECONDS, _LONGEST_SECONDS = 0.25, 2.0
# Seconds that this process needs for a task, until so many are measured; and the most of its time that it may be busy,
# inverted.
_GUESSED_TO_SERVE, _FEWEST_TASKS, _SPARE = 0.001, 100, 1.5
# To write and commit a batch takes about as long.
_SHORTEST_SECONDS = 0.02
# Legs in lanes all end together, and the more there are the faster each goes.
_LANES_SECONDS = 20.0
_FEW_LANES, _MOST_LANES = 64, 4096
_MOST_UNMEASURED = 1024
# Legs that go out together, which the driver commits at once, and their batches, each with two files open.
_MOST_LEGS, _MOST_BATCHES = 1024, 64
# Before anything is measured: speed in lanes, as a share of that without.
_GUESSED_LANES_SHARE = 0.1


@dataclass
class _Kind:
    """The measured speed of one kind of legs."""

    guessed_pace: float
    games: int = 0
    seconds: float = 0.0

    @property
    def pace(self) -> float:
        """Games a second of one worker."""
        return self.games / self.seconds if self.games and self.seconds else self.guessed_pace


@dataclass
class Pace:
    """The measured speed, for the size of batches and the time left.

    Before anything is measured, a session is expected to have `expected_games`,
    of which a core plays `expected_rate` a second. `waited`: seconds in which this process had nothing to do.
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
    tasks: int = 0
    waited: float = 0.0
    _inline: _Kind = field(init=False)
    _lanes: _Kind = field(init=False)

    def __post_init__(self) -> None:
        self._inline = _Kind(self.expected_rate)
        self._lanes = _Kind(_GUESSED_LANES_SHARE * self.expected_rate)

    def note(self, receipt: Receipt) -> None:
        legs = [Legs.of(batch.legs) for batch in receipt.batches]
        games = sum(int(several.games.sum()) for several in legs)
        self.tasks += 1
        self.legs += sum(map(len, legs))
        self.legs_in_lanes += receipt.legs_in_lanes
        self.games += games
        self.sessions += sum(int(several.sessions.sum()) for several in legs)
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
        """Whether a batch of so many legs of both kinds is full; the legs left include its own."""
        # Towards the end batches get smaller, so that all workers finish together.
        if in_lanes:
            most = _MOST_LANES if self._lanes.games else _MOST_UNMEASURED
            if in_lanes >= most or in_lanes >= -(-in_lanes_left // self.workers):
                return True
            # A few lanes are slow, so they wait for more, unless other legs of the batch take long.
            enough = in_lanes >= _FEW_LANES or self.seconds_of_one(inline, 0) >= _LANES_SECONDS
            return enough and self.seconds_of_one(inline, in_lanes) >= _LANES_SECONDS
        of_a_leg = self.leg_seconds(False)  # this is asked for each leg
        fair = inline_left * of_a_leg / (2 * self.workers)
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, self.seconds / 5), max(_SHORTEST_SECONDS, fair))
        # Many workers would wait for this process, were it to serve each of them so often.
        bearable = _SPARE * self.workers * self.seconds_to_serve
        return (inline + 1) * of_a_leg > max(seconds, bearable)

    @property
    def seconds_to_serve(self) -> float:
        """What this process does for each task: to make it up, hand it out, and commit and rank what comes back."""
        if self.tasks < _FEWEST_TASKS:
            return _GUESSED_TO_SERVE
        return (self.seconds - self.waited) / self.tasks

    def seconds_of_one(self, inline: int, in_lanes: int) -> float:
        """How long one worker takes for so many legs."""
        return inline * self.leg_seconds(False) + in_lanes * self.leg_seconds(True)

    def seconds_for(self, inline: int, in_lanes: int) -> float:
        """How long all workers together will take for so many legs."""
        return self.seconds_of_one(inline, in_lanes) / self.workers


@dataclass
class _Task:
    """Legs that go out together, cut into batches, and how many legs of both kinds are left, these among them."""

    inline_left: int
    in_lanes_left: int
    batches: list[list[Leg]] = field(default_factory=list)
    legs: int = 0
    in_lanes: int = 0

    def is_full(self, pace: Pace) -> bool:
        inline = self.legs - self.in_lanes
        if inline and (self.legs >= _MOST_LEGS or len(self.batches) >= _MOST_BATCHES):
            return True
        return pace.batch_is_full(inline, self.in_lanes, self.inline_left, self.in_lanes_left)

    def add(self, leg: Leg, *, same_batch: bool) -> None:
        if not (self.batches and same_batch):
            self.batches.append([])
        self.batches[-1].append(leg)
        self.legs += 1
        self.in_lanes += leg.has_processes

    def take(self) -> tuple[tuple[Leg, ...], ...]:
        """Remove and return the batches."""
        batches = tuple(map(tuple, self.batches))
        self.inline_left -= self.legs - self.in_lanes
        self.in_lanes_left -= self.in_lanes
        self.batches, self.legs, self.in_lanes = [], 0, 0
        return batches


def batches_to_play(schedule: Schedule, left: Counted, pace: Pace) -> Iterator[tuple[tuple[Leg, ...], ...]]:
    """The legs that are left, in batches, several of which may go out together.

    A batch ends at a leg that is done, so that parts stay in schedule order, and at the end of a replica. Who comes to
    be disqualified on probation while it goes on plays no more.
    """
    task = _Task(left.inline, left.in_lanes)
    replica, follows = 0, True
    for fixture in schedule.fixtures():
        before, replica = replica, fixture.number // schedule.legs_per_replica
        follows &= replica == before
        if fixture.digest in left.ends:
            follows = False
        elif not left.out or left.out.isdisjoint(entrants_of(fixture)):
            task.add(schedule.leg(fixture), same_batch=follows)
            follows = True
            if task.is_full(pace):
                yield task.take()
    if task.legs:
        yield task.take()
