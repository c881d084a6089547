"""Recorded legs against the schedule of their field: the one place that compares what they claim with its digests.

A digest stands for settings and players, names included. That a leg's names are those of its match is seen to whenever
a ledger is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tournament.runner.schedule import Fixture, Schedule
from tournament.store.ledger import Batch
from tournament.store.legs import Legs


def counting_and_missing(batches: Iterable[Batch], schedule: Schedule) -> tuple[set[str], list[Fixture]]:
    """The digests of the legs in these batches that are the schedule's, and its fixtures that none of them is.

    A leg counts at its own match and number, if it is whole.
    """
    recorded: dict[str, tuple[int, int]] = {}
    for batch in batches:
        legs = Legs.of(batch.legs)
        places = zip(legs.match.tolist(), legs.number.tolist())
        recorded |= {
            digest: place for digest, place, whole in zip(legs.digests, places, _are_whole(legs, schedule)) if whole
        }
    counting, missing = set(), []
    for fixture in schedule.fixtures():
        if recorded.get(fixture.digest) == (fixture.match, fixture.number):
            counting.add(fixture.digest)
        else:
            missing.append(fixture)
    return counting, missing


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
