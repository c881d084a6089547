"""The replicas of each match: those recorded, and those wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from tournament.runner.schedule.fixtures import Replicas
from tournament.runner.schedule.legs import Schedule
from tournament.store.field import Batch


def recorded_replicas(batches: Iterable[Batch], legs_per_replica: int) -> Replicas:
    """Return the played replicas of each match, at most one more than it has legs after the first replica.

    Numbers of legs can be forged, so they alone don't count. The minimum is one replica, also of matches without legs.
    Matches with legs in later replicas are in `Replicas.more`, even if some of these legs are missing.

    Args:
        batches: Batches of the records, in any order.
        legs_per_replica: Number of legs of a match in a replica.
    """
    more: dict[int, int] = {}
    played: Counter[int] = Counter()
    for batch in batches:
        legs = batch.legs
        replicas = legs.number // legs_per_replica
        for leg in np.flatnonzero(replicas):
            match = int(legs.match[leg])
            played[match] += 1
            more[match] = max(more.get(match, 1), int(replicas[leg]) + 1)
    return Replicas(1, {match: min(count, 1 + played[match]) for match, count in more.items()})


def extend_with_played_replicas(
    schedule_with: Callable[[Replicas], Schedule], requested: Replicas, batches: Iterable[Batch]
) -> Schedule:
    """Return the schedule of requested replicas and of further ones that the current players have played.

    A further replica counts if all its legs are recorded, and so are those of further replicas before it.

    Args:
        schedule_with: Called with the replicas of each match, up to three times; returns the schedule.
        requested: Replicas that the schedule has in any case.
        batches: Batches of the records.

    Raises:
        InputError: `schedule_with` refuses the replicas, because a limit of schedules is exceeded.
    """
    batches = list(batches)
    schedule = schedule_with(requested)
    recorded = recorded_replicas(batches, schedule.legs_per_replica)
    beyond = {match: count for match, count in recorded.more.items() if count > requested.of(match)}
    if not beyond:
        return schedule
    played = {digest for batch in batches for digest in batch.legs.digests}
    for fixture in schedule_with(Replicas(requested.of_all, {**requested.more, **beyond})).fixtures():
        match = fixture.match
        if fixture.digest not in played and match in beyond:
            replica = fixture.number // schedule.legs_per_replica
            beyond[match] = min(beyond[match], max(replica, requested.of(match)))
    return schedule_with(Replicas(requested.of_all, {**requested.more, **beyond}))
