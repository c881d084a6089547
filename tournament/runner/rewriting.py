"""Rewriting parts: cut where legs leave or are still to come, merged where many small ones are neighbours."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable, Iterator, Sequence

from tournament.contests.contest import Contest
from tournament.runner.resume import Cut
from tournament.runner.schedule import Schedule, place_of
from tournament.store.checks import Checks
from tournament.store.ledger import Batch, TableName, Taken, batch_name, without_legs
from tournament.store.ledger_reading import standing_batches
from tournament.store.legs import Legs
from tournament.store.parquet_limits import ROWS_PER_GROUP
from tournament.store.parts import PartReader, copy_legs
from tournament.store.writer import Writer

# At least so many neighbours, with at most so many rows together, are merged. With fewer, rows would be rewritten
# more often; the number of parts stays within a few times that of parts of this size.
_FEWEST, _MOST_ROWS = 8, 16 * ROWS_PER_GROUP

_Open = tuple[Batch, dict[TableName, PartReader]]


def cut_batches(contest: Contest, writer: Writer, cuts: Sequence[Cut], sessions_per_leg: int) -> Iterator[Batch]:
    """What to commit for cuts: the batches without legs, and new ones, staged, with the legs that stay."""
    for batch, several in cuts:
        yield without_legs(batch)
        with contextlib.ExitStack() as stack:
            source = _open(contest, writer, batch, sessions_per_leg, stack)
            for runs in several:
                yield _staged(contest, writer, [(source, *run) for run in runs])


def merge_small_batches(
    contest: Contest, writer: Writer, checks: Checks, schedule: Schedule, say: Callable[[str], None]
) -> None:
    """Merge small neighbouring batches where there are many, a commit for each new one.

    Only once nothing is left to play: no leg may be still to come between neighbours. Raises as `commit` does.
    """
    for group in _small_neighbours(standing_batches(writer.storage, writer.state), schedule):
        if problems := checks.damages(group):
            for name, problem in problems.items():
                say(f"Part {name} is {problem}; run again to play its legs again")
            continue
        with contextlib.ExitStack() as stack:
            sources = [_open(contest, writer, batch, schedule.sessions_per_leg, stack) for batch in group]
            whole = _staged(contest, writer, [(source, 0, len(source[0].legs)) for source in sources])
        writer.commit(batches=[*map(without_legs, group), whole])


def _small_neighbours(batches: Sequence[Batch], schedule: Schedule) -> list[list[Batch]]:
    """Runs of batches to merge, in order of the schedule; none has legs of two replicas."""
    groups: list[list[Batch]] = []
    rows = 0
    size = schedule.legs_per_replica
    ends = [place_of(legs.match[[0, -1]], legs.number[[0, -1]], size).tolist() for legs in _legs(batches)]
    replicas = [int(legs.number[0]) // size for legs in _legs(batches)]
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


def _legs(batches: Sequence[Batch]) -> Iterator[Legs]:
    return (Legs.of(batch.legs) for batch in batches)


def _open(contest: Contest, writer: Writer, batch: Batch, sessions_per_leg: int, stack: contextlib.ExitStack) -> _Open:
    readers: dict[TableName, PartReader] = {}
    for part in batch.parts:
        columns = contest.columns(part.table)
        readers[part.table] = PartReader(writer.storage, part, columns, Legs.of(batch.legs), sessions_per_leg)
        stack.callback(readers[part.table].close)
    return batch, readers


def _staged(contest: Contest, writer: Writer, runs: Sequence[tuple[_Open, int, int]]) -> Batch:
    """A new batch, staged, from runs of other batches' legs."""
    legs = Legs.joined(Legs.of(batch.legs)[first:end] for (batch, _), first, end in runs)
    name = batch_name(int(legs.match[0]), int(legs.number[0]), legs.digests)
    staged = f"staging/{name}-{uuid.uuid4().hex}"
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
    # Entries can only name newest versions: where an older one counts, they repeat its legs.
    newest = all(writer.state.batches[batch.name][-1] is batch for (batch, _), _, _ in runs)
    taken = tuple(Taken(batch.name, first, end) for (batch, _), first, end in runs) if newest else ()
    return Batch(name, parts, legs, runs[0][0][0].sandbox, taken)
