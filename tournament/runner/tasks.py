"""Divides legs into tasks for the workers, which play what they receive."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

from tournament.leg import Leg
from tournament.runner.pace import Pace
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.fixtures import Fixture
from tournament.runner.schedule.legs import Schedule

# Seconds that a task plays: short at first, so that there is something to see, then long enough for its overhead not to
# matter. To write and commit a batch takes about as long as the shortest.
_FIRST_SECONDS, _LONGEST_SECONDS, _SHORTEST_SECONDS = 0.25, 2.0, 0.05
# Inverse of the largest share of its time that this process may spend serving tasks.
_SPARE = 1.5
# Seconds of a task with legs in lanes. They all end together, and the more there are, the faster each one is.
_LANES_SECONDS = 20.0
_FEW_LANES, _MAX_LANES = 64, 4096
_MAX_UNMEASURED = 16  # lanes of a task before one is measured: few, so that there is soon something to see
# Maximum number of legs of a task with legs without processes.
_MAX_LEGS = 1024


@dataclass
class TaskSize:
    """The size of a task, from the number of legs still to be sent.

    Attributes:
        pace: The measured speed.
        remaining_inline: Legs without processes to send, including those of the task in preparation.
        remaining_in_lanes: The same with processes.
    """

    pace: Pace
    remaining_inline: int
    remaining_in_lanes: int
    _inline_at_first: int = field(init=False)
    _in_lanes_at_first: int = field(init=False)
    _max_inline: int = field(init=False, default=0)  # limit of the task in preparation

    def __post_init__(self) -> None:
        self._inline_at_first, self._in_lanes_at_first = self.remaining_inline, self.remaining_in_lanes

    def is_full(self, inline: int, in_lanes: int) -> bool:
        """Return whether a task has its full size.

        It must be called for each leg that is added, because the limit is set at the first leg without processes.

        Args:
            inline: Number of the task's legs without processes, including the leg that was just added.
            in_lanes: Number of its legs with processes, including the leg that was just added.
        """
        if in_lanes:
            return self._has_full_lanes(inline, in_lanes)
        if inline == 1:
            self._max_inline = self._inline_per_task()
        return inline >= self._max_inline

    def _has_full_lanes(self, inline: int, in_lanes: int) -> bool:
        """Return whether a task with legs in lanes has its full size."""
        share, limit = -(-self.remaining_in_lanes // self.pace.workers), _MAX_LANES
        if not self.pace.knows_lanes:
            share, limit = min(share, self._max_unmeasured(self._in_lanes_at_first)), _MAX_UNMEASURED
        if in_lanes >= min(share, limit):
            return True
        # A few lanes are slow, so they wait for more, unless other legs of the task take long.
        enough = in_lanes >= _FEW_LANES or self.pace.worker_seconds(inline, 0) >= _LANES_SECONDS
        return enough and self.pace.worker_seconds(inline, in_lanes) >= _LANES_SECONDS

    def _inline_per_task(self) -> int:
        """Return the number of legs without processes with which a task is full. It can be 0."""
        pace, of_a_leg = self.pace, self.pace.leg_seconds(False)
        # Towards the end tasks get smaller, so that all workers finish together.
        fair = self.remaining_inline * of_a_leg / (2 * pace.workers)
        # If all takes only a moment by the pace of earlier runs, the first tasks must not be small parts of it.
        shortest = _SHORTEST_SECONDS if pace.tasks else _FIRST_SECONDS
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, pace.seconds / 5), max(shortest, fair))
        # With many workers, each has to be served less often. Otherwise they would wait for this process.
        bearable = _SPARE * pace.workers * pace.seconds_to_serve
        limit = int(max(seconds, bearable) / of_a_leg)
        return limit if pace.knows_inline else min(limit, self._max_unmeasured(self._inline_at_first))

    def _max_unmeasured(self, at_first: int) -> int:
        """Return the legs of a task before a measurement, given the legs at first. It can be 0.

        Rules can be a thousand times as slow as estimated.
        """
        return at_first if self.pace.workers == 1 else at_first // (2 * self.pace.workers)


class TaskQueue:
    """Splits the missing legs into tasks, in schedule order.

    Args:
        schedule: Schedule of the round.
        reconciliation: The records compared with the schedule.
        pace: The measured speed, which determines the size of tasks.
        get_excluded: Called for each task; returns the names of bots and the numbers of matches whose legs are skipped
            now.
        last: Names of bots whose legs follow all others. Empty by default.
    """

    def __init__(
        self,
        schedule: Schedule,
        reconciliation: Reconciliation,
        pace: Pace,
        get_excluded: Callable[[], tuple[Set[str], Set[int]]],
        last: Set[str] = frozenset(),
    ) -> None:
        self._schedule, self._get_excluded = schedule, get_excluded
        self._size = TaskSize(pace, reconciliation.inline, reconciliation.in_lanes)
        self._legs = _with_last(reconciliation, last)

    def next_task(self) -> tuple[Leg, ...]:
        """Return the next legs, without those of excluded bots and matches, or () when there are no more.

        Legs that have the same deals stay together. Only their worker knows when the processes of one have ended, and
        has the sums of all their blocks.
        """
        legs: list[Leg] = []
        schedule, (out, matches), of_deals = self._schedule, self._get_excluded(), self._schedule.legs_sharing_deals
        inline = in_lanes = 0
        for fixture, counts in self._legs:
            if not counts or fixture.match in matches or (out and not out.isdisjoint(fixture.names)):
                continue
            legs.append(schedule.leg(fixture))
            has_processes = fixture.has_processes
            in_lanes += has_processes
            inline += not has_processes
            shares_next_deals = (fixture.number + 1) % of_deals
            is_full = (inline and inline + in_lanes >= _MAX_LEGS) or self._size.is_full(inline, in_lanes)
            if is_full and not shares_next_deals:
                break
        self._size.remaining_inline -= inline
        self._size.remaining_in_lanes -= in_lanes
        return tuple(legs)


def _with_last(reconciliation: Reconciliation, last: Set[str]) -> Iterator[tuple[Fixture, bool]]:
    """Yield the legs that are left, each with whether it counts, those of bots named in `last` after all others."""
    for is_last in (False, True) if last else (False,):
        for fixture, counts in reconciliation.wanted():
            if not last or last.isdisjoint(fixture.names) is not is_last:
                yield fixture, counts
