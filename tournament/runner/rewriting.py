"""Rewriting parts: cut where legs leave or are still to come, merged where many small ones are neighbours.

Parts are compared with their hashes before: what is damaged is not copied.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from tournament.contests.contest import Contest
from tournament.runner.resume import Cut, batches_to_cut, tell_removed_matches, withdraw
from tournament.runner.schedule.counting import Counted
from tournament.runner.schedule.legs import Schedule, place_of
from tournament.store.columns import ROWS_PER_GROUP
from tournament.store.ledger import Batch, TableName, batch_name, without_legs
from tournament.store.ledger_reading import standing_batches
from tournament.store.legs import Legs
from tournament.store.parts import PartReader, copy_legs, damage
from tournament.store.storage import Storage, staged_name
from tournament.store.writer import Writer, in_commits

# At least so many neighbours, with at most so many rows together, are merged. With fewer, rows would be rewritten
# more often; the number of parts stays within a few times that of parts of this size.
_FEWEST, _MOST_ROWS = 8, 16 * ROWS_PER_GROUP

_Open = tuple[Batch, dict[TableName, PartReader]]


def fit_to_schedule(contest: Contest, writer: Writer, schedule: Schedule, say: Callable[[str], None]) -> Counted:
    """Take out of the records what the schedule doesn't have, and say so; return what is left to play. Raises as
    `commit` does."""
    while True:
        standing = standing_batches(writer.storage, writer.state)
        cuts, left = batches_to_cut(standing, schedule)
        problems = _damages(writer.storage, (batch for batch, several in cuts if several))
        if not problems:
            break
        withdraw(writer, problems, say)
    tell_removed_matches(writer, cuts, schedule, left.probation.out, say)
    for batches in in_commits(_cut_batches(contest, writer, cuts, schedule.sessions_per_leg)):
        writer.commit(batches=batches)
    return left


def _cut_batches(
    contest: Contest, writer: Writer, cuts: Sequence[Cut], sessions_per_leg: int
) -> Iterator[Sequence[Batch]]:
    """What to commit for each cut: the batch without legs, and new ones, staged, with the legs that stay."""
    for batch, several in cuts:
        with contextlib.ExitStack() as stack:
            source = _open(contest, writer, batch, sessions_per_leg, stack)
            cut = [_staged(contest, writer, [(source, *run) for run in runs]) for runs in several]
        yield [without_legs(batch), *cut]


def merge_small_batches(contest: Contest, writer: Writer, schedule: Schedule, say: Callable[[str], None]) -> None:
    """Merge small neighbouring batches where there are many, a commit for each new one.

    Only once nothing is left to play: no leg may be still to come between neighbours. Raises as `commit` does.
    """
    for group in _small_neighbours(standing_batches(writer.storage, writer.state), schedule):
        if problems := _damages(writer.storage, group):
            for name, problem in problems.items():
                say(f"Part {name} is {problem}; remove it and run again to play its legs again")
            continue
        with contextlib.ExitStack() as stack:
            sources = [_open(contest, writer, batch, schedule.sessions_per_leg, stack) for batch in group]
            merged = _staged(contest, writer, [(source, 0, len(source[0].legs)) for source in sources])
        writer.commit(batches=[*map(without_legs, group), merged])
    writer.state.gather()  # the former copies of what was merged can go


def _damages(storage: Storage, batches: Iterable[Batch]) -> dict[str, str]:
    """What is wrong with damaged batches, by name, from the hashes of their parts."""
    several = list(batches)
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda batch: {damage(storage, part) for part in batch.parts} - {""}, several))
    return {batch.name: max(problems) for batch, problems in zip(several, found) if problems}


def _small_neighbours(batches: Sequence[Batch], schedule: Schedule) -> list[list[Batch]]:
    """Runs of batches to merge, in order of the schedule; none has legs of two replicas."""
    groups: list[list[Batch]] = []
    rows = 0
    size = schedule.legs_per_replica
    ends = [place_of(b.legs.match[[0, -1]], b.legs.number[[0, -1]], size).tolist() for b in batches]
    replicas = [int(batch.legs.number[0]) // size for batch in batches]
    before = (-1, -1)
    for (first, last), replica, batch in sorted(zip(ends, replicas, batches), key=lambda one: one[0]):
        more = max(part.rows for part in batch.parts)
        rows += more
        apart = replica != before[0] or first <= before[1]
        before = replica, last
        if not groups or apart or rows > _MOST_ROWS or groups[-1][0].sandbox != batch.sandbox:
            groups.append([])
            rows = more
        groups[-1].append(batch)
    return [group for group in groups if len(group) >= _FEWEST]


def _open(contest: Contest, writer: Writer, batch: Batch, sessions_per_leg: int, stack: contextlib.ExitStack) -> _Open:
    readers: dict[TableName, PartReader] = {}
    for part in batch.parts:
        columns = contest.columns(part.table)
        readers[part.table] = PartReader(writer.storage, part, columns, batch.legs, sessions_per_leg)
        stack.callback(readers[part.table].close)
    return batch, readers


def _staged(contest: Contest, writer: Writer, runs: Sequence[tuple[_Open, int, int]]) -> Batch:
    """A new batch, staged, from runs of other batches' legs."""
    legs = Legs.joined(batch.legs[first:end] for (batch, _), first, end in runs)
    name = batch_name(int(legs.match[0]), int(legs.number[0]), legs.digests)
    staged = staged_name(name)
    parts = tuple(
        copy_legs(
            writer.storage,
            part.table,
            contest.columns(part.table),
            [(readers[part.table], first, end) for (_, readers), first, end in runs],
            f"{name}.parquet",
            f"{staged}-{part.table}",
        )
        for part in runs[0][0][0].parts
    )
    of = tuple((batch.name, first, end) for (batch, _), first, end in runs)
    return Batch(name, parts, legs, runs[0][0][0].sandbox, of)
