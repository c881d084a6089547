"""The replicas of each match: those recorded, and those wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np

from tournament.runner.schedule.legs import Replicas, Schedule
from tournament.store.ledger import Batch


def recorded_replicas(batches: Iterable[Batch], legs_per_replica: int) -> Replicas:
    """The replicas of each match of which a leg was played, but no more than it has legs: leg numbers are claims."""
    more: dict[tuple[str, str], int] = {}
    played: Counter[tuple[str, str]] = Counter()
    for batch in batches:
        legs = batch.legs
        replicas = legs.number // legs_per_replica
        for leg in np.flatnonzero(replicas):
            pair = (legs.x[leg], legs.y[leg])
            played[pair] += 1
            more[pair] = max(more.get(pair, 1), int(replicas[leg]) + 1)
    return Replicas(1, {pair: min(count, 1 + played[pair]) for pair, count in more.items()})


def keeping_what_was_played(
    schedule_with: Callable[[Replicas], Schedule], wanted: Replicas, batches: Iterable[Batch]
) -> Schedule:
    """The schedule of the wanted replicas and of further ones that the current players have played already.

    So nothing is lost when fewer are wanted than before.
    """
    batches = list(batches)
    schedule = schedule_with(wanted)
    recorded = recorded_replicas(batches, schedule.legs_per_replica)
    beyond = {pair: count for pair, count in recorded.more.items() if count > wanted.of(*pair)}
    if not beyond:
        return schedule
    played = {digest for batch in batches for digest in batch.legs.digests}
    for fixture in schedule_with(Replicas(wanted.of_all, {**wanted.more, **beyond})).fixtures():
        pair = (fixture.x.name, fixture.y.name)
        if fixture.digest not in played and pair in beyond:
            replica = fixture.number // schedule.legs_per_replica
            beyond[pair] = min(beyond[pair], max(replica, wanted.of(*pair)))
    return schedule_with(Replicas(wanted.of_all, {**wanted.more, **beyond}))
