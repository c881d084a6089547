"""The speed of a run, and from it how many legs go out together."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tournament.leg import Leg
from tournament.probation import entrants_of
from tournament.runner.counting import Counted
from tournament.runner.schedule import Fixture, Schedule
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.batch import Receipt
from tournament.worker.processes.turns import plays_in_turn

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
# Lines of legs that play in turn, each of which is looked for in the whole schedule.
_MOST_LINES = 8
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
        self._inline.seconds += receipt.seconds - receipt.seconds_in_lanes

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def leg_seconds(self, in_lanes: bool) -> float:
        """What a leg takes of one worker."""
        games = self.games / self.sessions if self.sessions else self.expected_games
        return self.sessions_per_leg * games / (self._lanes if in_lanes else self._inline).pace

    def batch_is_full(
        self, inline: int, in_lanes: int, inline_left: int, in_lanes_left: int, in_turn: bool = False
    ) -> bool:
        """Whether a batch of so many legs of both kinds is full; the legs left include its own.

        Those `in_turn` are all one worker's, and go one after the other.
        """
        # Towards the end batches get smaller, so that all workers finish together.
        if in_lanes:
            most = _MOST_LANES if self._lanes.games else _MOST_UNMEASURED
            if in_lanes >= most or in_lanes >= -(-in_lanes_left // (1 if in_turn else self.workers)):
                return True
            if in_turn:
                return self.seconds_of_one(0, in_lanes) >= _LANES_SECONDS
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


Batches = tuple[tuple[Leg, ...], ...]


class _Share:
    """The legs of a schedule that one line of tasks has: those of the bots of one of `lines`, or with None all others.

    Legs of a line play in turn, and `latest` are the digests of those that went out last.
    """

    def __init__(self, lines: Mapping[str, int], line: int | None, inline_left: int, in_lanes_left: int) -> None:
        self._lines, self._line = lines, line
        self._inline_left, self._in_lanes_left = inline_left, in_lanes_left
        self._batches: list[list[Leg]] = []
        self._legs = self._in_lanes = 0
        self.latest: set[str] = set()

    def tasks(self, schedule: Schedule, left: Counted, pace: Pace) -> Iterator[Batches]:
        replica, follows = 0, True
        for fixture in schedule.fixtures():
            before, replica = replica, fixture.number // schedule.legs_per_replica
            follows &= replica == before
            if fixture.digest in left.ends or _line_of(fixture, self._lines) != self._line:
                follows = False
            elif not left.out or left.out.isdisjoint(entrants_of(fixture)):
                self._add(schedule.leg(fixture), same_batch=follows)
                follows = True
                if self._is_full(pace):
                    yield self._take()
        if self._legs:
            yield self._take()

    def _is_full(self, pace: Pace) -> bool:
        inline = self._legs - self._in_lanes
        if inline and (self._legs >= _MOST_LEGS or len(self._batches) >= _MOST_BATCHES):
            return True
        in_turn = self._line is not None
        return pace.batch_is_full(inline, self._in_lanes, self._inline_left, self._in_lanes_left, in_turn)

    def _add(self, leg: Leg, *, same_batch: bool) -> None:
        if not (self._batches and same_batch):
            self._batches.append([])
        self._batches[-1].append(leg)
        self._legs += 1
        self._in_lanes += leg.has_processes

    def _take(self) -> Batches:
        """Remove and return the batches."""
        batches = tuple(map(tuple, self._batches))
        self.latest = {leg.digest for legs in batches for leg in legs}
        self._inline_left -= self._legs - self._in_lanes
        self._in_lanes_left -= self._in_lanes
        self._batches, self._legs, self._in_lanes = [], 0, 0
        return batches


def batches_to_play(
    schedule: Schedule, left: Counted, pace: Pace, artifacts: Mapping[str, bytes], sandbox: SandboxSettings
) -> Iterator[Batches]:
    """The legs that are left, in batches, several of which may go out together.

    A batch ends at a leg that is done or goes out elsewhere, so that parts stay in schedule order, and at the end of a
    replica. Who comes to be disqualified on probation while it goes on plays no more.

    Legs that play in turn (`tournament.worker.processes.turns`) take long, however many workers there are.
    So they go out first and apart from the others, the next ones once those before are done: two workers with legs of
    one such bot would wait for each other.
    """
    lines = _lines(schedule, pace.workers, artifacts, sandbox)
    count: Counter[int | None] = Counter()
    if lines:
        count.update(_line_of(one, lines) for one in schedule.fixtures() if one.digest not in left.ends)
    in_turn = [_Share(lines, line, 0, count[line]) for line in sorted(set(lines.values()))]
    others = _Share(lines, None, left.inline, left.in_lanes - count.total() + count[None])
    tasks = {share: share.tasks(schedule, left, pace) for share in (*in_turn, others)}
    while True:
        free = [share for share in in_turn if share.latest <= left.ends.keys()]
        task = next(filter(None, (next(tasks[share], None) for share in (*free, others, *in_turn))), None)
        if task is None:
            return
        yield task


def _lines(
    schedule: Schedule, workers: int, artifacts: Mapping[str, bytes], sandbox: SandboxSettings
) -> dict[str, int]:
    """In which line each bot's legs go that play in turn, if there is more than one worker for all."""
    if workers == 1 or not schedule.shares_deals:
        return {}
    in_turn = (player.name for player in schedule.competitors if plays_in_turn(player, artifacts, sandbox))
    return {name: number % min(workers, _MOST_LINES) for number, name in enumerate(in_turn)}


def _line_of(fixture: Fixture, lines: Mapping[str, int]) -> int | None:
    if not lines:
        return None
    return lines.get(fixture.x.name, lines.get(fixture.y.name))
