"""Recorded legs against the schedule of their field: the one place that says which of them count, and what is missing.

A digest stands for settings and players, names included. That a leg's names are those of its match is seen to whenever
a ledger is read. Legs of a bot that was disqualified on probation don't count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tournament.probation import Probation
from tournament.runner.schedule import Fixture, Schedule
from tournament.store.ledger import Batch
from tournament.store.legs import Legs

Ends = Mapping[str, int | None]  # by a leg's digest, the seat whose faults ended it, or None


@dataclass(frozen=True)
class Counted:
    """The digests of the recorded legs that count, the fixtures `missing`, and who has passed probation so far."""

    counting: set[str]
    missing: list[Fixture]
    probation: Probation

    @property
    def total(self) -> int:
        """How many legs there are, played or not."""
        return len(self.counting) + len(self.missing)

    @cached_property
    def in_lanes(self) -> int:
        """How many missing legs have processes."""
        return sum(fixture.has_processes for fixture in self.missing)

    @property
    def inline(self) -> int:
        """How many missing legs have none."""
        return len(self.missing) - self.in_lanes


def count_legs(batches: Iterable[Batch], schedule: Schedule) -> Counted:
    """Which legs in these batches count, each at its own match and number, and whole; and what the schedule lacks."""
    places: dict[str, tuple[int, int]] = {}
    ends: dict[str, int | None] = {}
    for batch in batches:
        legs = Legs.of(batch.legs)
        of_whole = list(zip(legs.digests, legs.match.tolist(), legs.number.tolist(), _are_whole(legs, schedule)))
        places |= {digest: (match, number) for digest, match, number, whole in of_whole if whole}
        ends |= {digest: rest.ended_by for (digest, *_, whole), rest in zip(of_whole, legs.rest) if whole}

    def fixtures() -> Iterator[Fixture]:
        for fixture in schedule.fixtures():
            if places.get(fixture.digest, (fixture.match, fixture.number)) != (fixture.match, fixture.number):
                del places[fixture.digest], ends[fixture.digest]
            yield fixture

    return _counted(fixtures(), ends)


def count_known(ends: Ends, schedule: Schedule) -> Counted:
    """The same of legs that are known to be the schedule's."""
    return _counted(schedule.fixtures(), ends)


def _counted(fixtures: Iterable[Fixture], ends: Ends) -> Counted:
    found = Counted(set(), [], Probation(ends))
    for fixture in found.probation.legs(fixtures):
        if fixture.digest in ends:
            found.counting.add(fixture.digest)
        else:
            found.missing.append(fixture)
    return found


def ends_of(batches: Iterable[Batch]) -> dict[str, int | None]:
    """The legs in these batches by digest, with the seat whose faults ended each, or None."""
    all_legs = [Legs.of(batch.legs) for batch in batches]
    return {digest: rest.ended_by for legs in all_legs for digest, rest in zip(legs.digests, legs.rest)}


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
