"""Rewriting parts: cut where legs leave, put together where there are many small ones.

Parts are compared with their hashes before: what is damaged is not copied.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.runner.resume import Cut, batches_to_cut, tell_removed_matches, withdraw
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.legs import Schedule
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.store.ledger import Batch, batch_name
from tournament.store.legs import Legs, pair_keys
from tournament.store.parts import copy_legs, damage
from tournament.store.storage import Storage, staged_name
from tournament.store.writer import Change, Writer, in_commits

# Parts of fewer rows are small: larger ones take longer to read than to open. At least this many small ones are put
# together, and at most this many at once, in memory.
_SMALL, _FEWEST, _MOST = ROWS_PER_BUFFER // 8, 8, 64


def drop_unscheduled_legs(
    contest: Contest, writer: Writer, schedule: Schedule, say: Callable[[str], None]
) -> Reconciliation:
    """Take out of the records what the schedule doesn't have, and say so. Returns what is left to play. Raises as
    `commit` does."""
    while True:
        cuts, left = batches_to_cut(writer.standing(), schedule)
        problems = _damages(writer.storage, (cut.batch for cut in cuts if cut.counts.any()))
        if not problems:
            break
        withdraw(writer, problems, say)
    tell_removed_matches(writer, cuts, schedule, left.out, say)
    for change in in_commits(_cut_batches(contest, writer, cuts, schedule.sessions_per_leg)):
        writer.commit(batches=change.batches, without=change.without)
    return left


def _cut_batches(contest: Contest, writer: Writer, cuts: Sequence[Cut], sessions_per_leg: int) -> Iterator[Change]:
    """What to commit for each cut: the batch leaves, and one, staged, comes of the legs that stay."""
    for cut in cuts:
        stay = np.flatnonzero(cut.counts)
        staged = (_staged(contest, writer, [cut.batch], stay, sessions_per_leg),) if len(stay) else ()
        yield Change(staged, (cut.batch.name,))


def merge_small_batches(
    contest: Contest, writer: Writer, sessions_per_leg: int, legs_per_replica: int, say: Callable[[str], None]
) -> None:
    """Put small batches together where a replica has many, a commit for each new one. Raises as `commit` does."""
    for group in _small_ones(writer.standing(), legs_per_replica):
        if problems := _damages(writer.storage, group):
            for name, problem in problems.items():
                say(f"Part {name} is {problem}; remove it and run again to play its legs again")
            continue
        match, number = (np.concatenate([getattr(batch.legs, one) for batch in group]) for one in ("match", "number"))
        in_order = np.argsort(pair_keys(match, number), kind="stable")
        together = _staged(contest, writer, group, in_order, sessions_per_leg)
        writer.commit(batches=[together], without=[batch.name for batch in group])


def _damages(storage: Storage, batches: Iterable[Batch]) -> dict[str, str]:
    """What is wrong with damaged batches, by name, from the hashes of their parts."""
    several = list(batches)
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda batch: {damage(storage, part) for part in batch.parts} - {""}, several))
    return {batch.name: max(problems) for batch, problems in zip(several, found) if problems}


def _small_ones(batches: Sequence[Batch], legs_per_replica: int) -> list[list[Batch]]:
    """Small batches to put together; none gets legs of two replicas, or of bots that were confined otherwise."""
    alike: dict[tuple[int, str], list[Batch]] = defaultdict(list)
    for batch in batches:
        if max(part.rows for part in batch.parts) < _SMALL:
            alike[int(batch.legs.number[0]) // legs_per_replica, batch.sandbox].append(batch)
    groups = [several[first : first + _MOST] for several in alike.values() for first in range(0, len(several), _MOST)]
    return [group for group in groups if len(group) >= _FEWEST]


def _staged(
    contest: Contest, writer: Writer, sources: Sequence[Batch], places: npt.NDArray[np.intp], sessions_per_leg: int
) -> Batch:
    """A new batch, staged, of the legs of others: those at these places, in this order, of all one after the other."""
    ends = np.cumsum([0, *(len(batch.legs) for batch in sources)])
    legs = Legs.joined(batch.legs for batch in sources).chosen(places)
    name = batch_name(int(legs.match[0]), int(legs.number[0]), legs.digests)
    staged = staged_name(name)
    stay = np.zeros(ends[-1], bool)
    stay[places] = True
    kept = np.split(stay, ends[1:-1])
    parts = tuple(
        copy_legs(
            writer.storage,
            contest.columns(part.table),
            [(batch.part(part.table), batch.legs, some) for batch, some in zip(sources, kept)],
            sessions_per_leg,
            f"{name}.parquet",
            f"{staged}-{part.table}",
        )
        for part in sources[0].parts
    )
    return Batch(name, parts, legs, sources[0].sandbox)
