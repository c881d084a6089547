"""Recorded legs against the schedule of their field: the one place that says which of them count, and what is missing.

A digest stands for settings and players, names included. That a leg's names are those of its match is seen to whenever
a ledger is read. Legs of a bot that was disqualified on probation don't count.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.probation import Probation
from tournament.runner.schedule import Fixture, Schedule, place_of
from tournament.store.ledger import Batch
from tournament.store.legs import Legs

Whole = npt.NDArray[np.int64]


@dataclass
class Counted:
    """Legs of a schedule: by digest how those ended that were played, the seat at fault or None; and which of them
    count. `missing` has the places of those still to be played when it was counted, in order; so many have processes.

    `note` keeps all but these three up to date while a run plays.
    """

    schedule: Schedule
    ends: dict[str, int | None]
    counting: set[str]
    missing: Whole
    in_lanes: int
    total: int
    probation: Probation

    @property
    def inline(self) -> int:
        """How many missing legs have no processes."""
        return len(self.missing) - self.in_lanes

    @property
    def out(self) -> Set[str]:
        """Who is disqualified on probation."""
        return self.probation.out

    def note(self, legs: Legs) -> None:
        """Add played legs of the schedule. Who is disqualified by one on probation plays no other."""
        self.ends |= zip(legs.digests, legs.ended_by)
        at_fault = {(legs.x, legs.y)[end][leg] for leg, end in enumerate(legs.ended_by) if end is not None}
        if at_fault <= self.probation.proven | self.out:
            out = self.out
            seats = (legs.x,) if self.schedule.house else (legs.x, legs.y)
            self.counting.update(digest for digest, *names in zip(legs.digests, *seats) if out.isdisjoint(names))
        else:
            again = count_known(self.ends, self.schedule)
            self.counting, self.total, self.probation = again.counting, again.total, again.probation


def count_legs(batches: Iterable[Batch], schedule: Schedule) -> Counted:
    """Which legs in these batches count, each at its own match and number, and whole; and what the schedule lacks."""
    places: dict[str, tuple[int, int]] = {}
    ends: dict[str, int | None] = {}
    for batch in batches:
        legs = Legs.of(batch.legs)
        columns = (legs.digests, legs.match.tolist(), legs.number.tolist(), legs.ended_by, _are_whole(legs, schedule))
        for digest, match, number, end, whole in zip(*columns):
            if whole:
                places[digest], ends[digest] = (match, number), end

    def fixtures() -> Iterator[Fixture]:
        for fixture in schedule.fixtures():
            if places.get(fixture.digest, (fixture.match, fixture.number)) != (fixture.match, fixture.number):
                del places[fixture.digest], ends[fixture.digest]
            yield fixture

    return _counted(fixtures(), ends, schedule)


def count_known(ends: dict[str, int | None], schedule: Schedule) -> Counted:
    """The same of legs that are known to be the schedule's."""
    return _counted(schedule.fixtures(), ends, schedule)


def _counted(fixtures: Iterable[Fixture], ends: dict[str, int | None], schedule: Schedule) -> Counted:
    probation = Probation(ends)
    counting: set[str] = set()
    missing, in_lanes = array("q"), 0  # numbers: objects would take a hundred megabytes
    per_replica = schedule.legs_per_replica
    for fixture in probation.legs(fixtures):
        if fixture.digest in ends:
            counting.add(fixture.digest)
        else:
            missing.append(place_of(fixture.match, fixture.number, per_replica))
            in_lanes += fixture.has_processes
    total = len(counting) + len(missing)
    return Counted(schedule, ends, counting, np.array(missing, np.int64), in_lanes, total, probation)


def fixtures_of(legs: Legs, schedule: Schedule) -> Iterator[Fixture | str]:
    """For each leg what the schedule has for its players and number, or why it isn't that."""
    x = {player.name: player for player in schedule.competitors}
    y = {player.name: player for player in schedule.house} or x
    digests = schedule.digests()
    columns = (legs.x, legs.y, legs.match.tolist(), legs.number.tolist(), legs.digests, _are_whole(legs, schedule))
    for of_x, of_y, match, number, digest, whole in zip(*columns):
        if of_x not in x or of_y not in y:
            yield "of one who doesn't play"
        elif digest != digests.of(x[of_x], y[of_y], number):
            yield "with another digest than its players and settings give"
        elif not whole:
            yield "with other sessions than the settings say"
        else:
            yield Fixture(match, number, digest, x[of_x], y[of_y])


def _are_whole(legs: Legs, schedule: Schedule) -> list[bool]:
    """Whether each leg has all its sessions, or those until a fault ended it."""
    planned = schedule.sessions_per_leg
    whole: list[bool] = (legs.sessions == planned).tolist()
    for place in np.flatnonzero(legs.sessions < planned).tolist():
        whole[place] = legs.rest[place].ended_by is not None
    return whole
