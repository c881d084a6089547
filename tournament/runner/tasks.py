"""Which legs go out to workers, which of them together, and when. Workers play what they are told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field

from tournament.leg import Leg
from tournament.probation import entrants_of
from tournament.runner.pace import Pace
from tournament.runner.schedule.counting import Counted, fixtures_at
from tournament.runner.schedule.legs import Fixture, Schedule
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.legs import Legs
from tournament.worker.processes.turns import plays_in_turn

# How long a task plays: short at first, so that there is something to see, then long enough
# for its overhead not to matter. To write and commit a batch takes about as long as the shortest.
_FIRST_SECONDS, _LONGEST_SECONDS, _SHORTEST_SECONDS = 0.25, 2.0, 0.02
# The most of its time that this process may be busy serving tasks, inverted.
_SPARE = 1.5
# Legs in lanes all end together, and the more there are the faster each goes.
_LANES_SECONDS = 20.0
_FEW_LANES, _MOST_LANES = 64, 4096
_MOST_UNMEASURED = 1024
# Legs that go out together, which the driver commits at once, and their batches, each with two files open.
_MOST_LEGS, _MOST_BATCHES = 1024, 64
# Groups of bots whose legs play in turn. For each worker there are two, as for a leg between two of them.
_MOST_GROUPS = 32

Batches = tuple[tuple[Leg, ...], ...]


@dataclass
class Together:
    """Legs that any worker may play at any time; so many are yet to go out, with those of the task that is made up."""

    pace: Pace
    inline_left: int
    in_lanes_left: int
    _inline_at_first: int = field(init=False)

    def __post_init__(self) -> None:
        self._inline_at_first = self.inline_left

    def is_full(self, inline: int, in_lanes: int) -> bool:
        return self._is_full_of_lanes(inline, in_lanes) if in_lanes else self._is_full_of_inline(inline)

    def _is_full_of_lanes(self, inline: int, in_lanes: int) -> bool:
        if _has_all_lanes(self.pace, in_lanes, -(-self.in_lanes_left // self.pace.workers)):
            return True
        # A few lanes are slow, so they wait for more, unless other legs of the task take long.
        enough = in_lanes >= _FEW_LANES or self.pace.seconds_of_one(inline, 0) >= _LANES_SECONDS
        return enough and self.pace.seconds_of_one(inline, in_lanes) >= _LANES_SECONDS

    def _is_full_of_inline(self, inline: int) -> bool:
        pace, of_a_leg = self.pace, self.pace.leg_seconds(False)  # this is asked for each leg
        # Towards the end tasks get smaller, so that all workers finish together.
        fair = self.inline_left * of_a_leg / (2 * pace.workers)
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, pace.seconds / 5), max(_SHORTEST_SECONDS, fair))
        # Many workers would wait for this process, were it to serve each of them so often.
        bearable = _SPARE * pace.workers * pace.seconds_to_serve
        full = (inline + 1) * of_a_leg > max(seconds, bearable)
        # Rules may be a thousand times as slow as the contest's guess: then no worker may have more than the others.
        unmeasured = pace.workers > 1 and not pace.knows_inline
        return full or (unmeasured and inline >= self._inline_at_first // (2 * pace.workers))


@dataclass
class InTurn:
    """Legs of processes that one worker plays, those of a bot one after the other."""

    pace: Pace
    inline_left: int
    in_lanes_left: int

    def is_full(self, inline: int, in_lanes: int) -> bool:
        long = self.pace.seconds_of_one(inline, in_lanes) >= _LANES_SECONDS
        return long or _has_all_lanes(self.pace, in_lanes, self.in_lanes_left)


def _has_all_lanes(pace: Pace, in_lanes: int, share: int) -> bool:
    return in_lanes >= min(share, _MOST_LANES if pace.knows_lanes else _MOST_UNMEASURED)


class _Queue:
    """Legs in order, with their ranks, and how they are cut into tasks."""

    def __init__(self, legs: Iterable[tuple[int, Fixture]], policy: Together | InTurn) -> None:
        self._legs, self._policy = iter(legs), policy

    def next_task(self, schedule: Schedule, out: Set[str]) -> Batches | None:
        """The next legs, without those of bots that are out; None when there are no more.

        A batch ends where ranks do, so that parts stay in schedule order, and at the end of a replica.
        """
        batches: list[list[Leg]] = []
        inline = in_lanes = 0
        before = (-1, -1)
        for rank, fixture in self._legs:
            replica = fixture.number // schedule.legs_per_replica
            follows, before = (replica, rank - 1) == before, (replica, rank)
            if out and not out.isdisjoint(entrants_of(fixture)):
                continue
            if not (batches and follows):
                batches.append([])
            batches[-1].append(schedule.leg(fixture))
            in_lanes += fixture.has_processes
            inline += not fixture.has_processes
            many = inline and (inline + in_lanes >= _MOST_LEGS or len(batches) >= _MOST_BATCHES)
            if many or self._policy.is_full(inline, in_lanes):
                break
        self._policy.inline_left -= inline
        self._policy.in_lanes_left -= in_lanes
        return tuple(map(tuple, batches)) or None


# Legs of a group of bots, with the deals of a replica: they play on one worker.
_Turn = tuple[int, int]


class LegsToPlay:
    """The legs that are left, as tasks.

    Legs of the bots `in_turn` (`tournament.worker.processes.turns`) that see the same deals play one after the other,
    on whatever node. So these bots are in groups; the legs between two groups, in a replica, go out together, and
    nothing else of these groups and deals until they are back. They take long, so they go out first.
    `out` tells who is disqualified on probation by now, and plays no more. Not `in_order`, batches go on over legs that
    are done, so that parts overlap: after an edit they would have single legs.
    """

    def __init__(
        self,
        schedule: Schedule,
        left: Counted,
        pace: Pace,
        in_turn: Mapping[str, int],
        out: Callable[[], Set[str]],
        *,
        in_order: bool = True,
    ) -> None:
        self._schedule, self._in_turn, self._out = schedule, in_turn, out
        self._turns_out: set[_Turn] = set()
        apart: dict[frozenset[_Turn], list[tuple[int, Fixture]]] = defaultdict(list)
        ranks = left.rank.tolist() if in_order else range(len(left.missing))
        if in_turn:
            for rank, fixture in zip(ranks, fixtures_at(schedule, left.missing)):
                if turns := self._turns(fixture.x.name, fixture.y.name, fixture.number):
                    apart[turns].append((rank, fixture))
        legs_apart = sum(map(len, apart.values()))
        others = (
            (rank, fixture)
            for rank, fixture in zip(ranks, fixtures_at(schedule, left.missing))
            if not (in_turn and self._turns(fixture.x.name, fixture.y.name, fixture.number))
        )
        self._others = _Queue(others, Together(pace, left.inline, left.in_lanes - legs_apart))
        self._apart = {turns: _Queue(legs, InTurn(pace, 0, len(legs))) for turns, legs in apart.items()}

    def next_task(self) -> Batches | None:
        """The legs of the next task, in batches; None when none may go out now."""
        out = self._out()
        for turns, queue in self._apart.items():
            if self._turns_out.isdisjoint(turns) and (task := queue.next_task(self._schedule, out)):
                self._turns_out |= turns
                return task
        return self._others.next_task(self._schedule, out)

    def came_back(self, legs: Legs) -> None:
        """Some legs of a task are played, and its bots have ended."""
        if self._in_turn:
            self._turns_out -= self._turns(legs.x[0], legs.y[0], int(legs.number[0]))

    def _turns(self, x: str, y: str, number: int) -> frozenset[_Turn]:
        replica = number // self._schedule.legs_per_replica
        return frozenset((self._in_turn[name], replica) for name in (x, y) if name in self._in_turn)


def groups_in_turn(
    schedule: Schedule, workers: int, artifacts: Mapping[str, bytes], sandbox: SandboxSettings
) -> dict[str, int]:
    """The group of each bot whose legs play in turn, where they have deals in common; for one worker a single one."""
    if not schedule.shares_deals:
        return {}
    groups = min(2 * workers, _MOST_GROUPS) if workers > 1 else 1
    in_turn = (player.name for player in schedule.competitors if plays_in_turn(player, artifacts, sandbox))
    return {name: number % groups for number, name in enumerate(in_turn)}
