"""Rewriting batches: without the legs that no longer count, and with those of an edit.

Parts are compared with their hashes before, so nothing damaged is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.errors import RunError
from tournament.runner.resume import batches_to_cut, report_removed_matches, withdraw
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.legs import Schedule
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.store.field import BATCH_TABLES, Batch
from tournament.store.legs import Legs
from tournament.store.part_writer import PartWriter, finish_batch
from tournament.store.parts import copy_legs, damage
from tournament.store.storage import Storage, staged_name
from tournament.store.writer import Writer

_AT_ONCE = 16  # Batches are committed together, because putting a folder on disk takes as long for one as for many.


def drop_unscheduled_legs(
    contest: Contest, writer: Writer, schedule: Schedule, on_message: Callable[[str], None]
) -> Reconciliation:
    """Remove records that the schedule doesn't have, with messages, and return the legs that are still to play.

    Batches with such legs are rewritten without them. Those of these batches that are damaged are removed, too.

    Args:
        contest: Contest of the records.
        writer: Writer of the records.
        schedule: Schedule of the field.
        on_message: Called with messages for the user.

    Raises:
        RunError: The records can't be read, a part is missing, or another process has become the writer.
        OSError: The records can't be written.
        ValueError: Legs of a rewritten batch couldn't be read again.
    """
    while True:
        cuts, reconciliation = batches_to_cut(writer.batches(), schedule)
        problems = _damages(writer.storage, (cut.batch for cut in cuts if cut.counts.any()))
        if not problems:
            break
        withdraw(writer, {name: f"is {problem}" for name, problem in problems.items()}, on_message)
    report_removed_matches(writer, cuts, schedule, reconciliation.out, on_message)
    writer.commit(without=[cut.batch.name for cut in cuts if not cut.counts.any()])
    forged: dict[str, str] = {}
    for first in range(0, len(cuts), _AT_ONCE):
        batches = []
        for cut in cuts[first : first + _AT_ONCE]:
            if cut.counts.any():
                try:
                    sources = [(cut.batch, cut.counts)]
                    batches.append(_rewritten(contest, writer, sources, schedule.sessions_per_leg))
                except RunError as problem:  # right hashes: it was written like this
                    forged[cut.batch.name] = str(problem).partition(".parquet ")[2]
        writer.commit(batches)
    if forged:
        withdraw(writer, forged, on_message)
        return drop_unscheduled_legs(contest, writer, schedule, on_message)
    return reconciliation


def _damages(storage: Storage, batches: Iterable[Batch]) -> dict[str, str]:
    """Return "damaged" or "missing" for each defective batch, by name, from the hashes of its parts.

    "missing" has precedence if a batch has both defects.

    Raises:
        RunError: A part can't be opened.
        OSError: A part can't be read.
    """
    batch_list = list(batches)
    with ThreadPoolExecutor() as pool:
        problem_sets = list(pool.map(lambda batch: {damage(storage, part) for part in batch.parts} - {""}, batch_list))
    return {batch.name: max(problems) for batch, problems in zip(batch_list, problem_sets) if problems}


def commit_played(
    contest: Contest, writer: Writer, batches: Sequence[Batch], sessions_per_leg: int, *, are_few: bool
) -> None:
    """Commit batches that were just played.

    A few legs, as after an edit, join the smallest batch, whose parts are replaced in one step. Otherwise every edit
    would add a part to read and to cut.

    Args:
        contest: Contest of the records.
        writer: Writer of the records.
        batches: Batches whose parts are staged. They can be empty.
        sessions_per_leg: Number of sessions of a leg.
        are_few: Whether the legs are few enough for that. The batch must also have room and the same sandbox.

    Raises:
        RunError: A part isn't as it was written, or another process has become the writer.
        OSError: A part can't be written.
        ValueError: Legs of the joined batch couldn't be read again.
    """
    if not (are_few and batches and (smallest := _smallest_for(batches, writer))):
        writer.commit(batches)
        return
    sources = [(batch, np.ones(len(batch.legs), bool)) for batch in (smallest, *batches)]
    try:
        joined = _rewritten(contest, writer, sources, sessions_per_leg)
    except (RunError, FileNotFoundError):  # The smallest one is damaged. The next run reports it.
        writer.commit(batches)
        return
    writer.commit([joined])
    for part in [part for batch in batches for part in batch.parts]:
        writer.storage.remove(part.staged)


def _smallest_for(batches: Sequence[Batch], writer: Writer) -> Batch | None:
    """Return the smallest committed batch that can take in the legs of others, or None if that one can't.

    It can't if it has the same legs, as can happen at tables in versions with other bots disqualified. Batches of
    another sandbox aren't considered, nor those for which the sum exceeds `ROWS_PER_BUFFER` legs and rows.
    """
    room = ROWS_PER_BUFFER - sum(map(_size, batches))
    kinds = {batch.sandbox for batch in batches}
    candidates = [one for one in writer.batches() if _size(one) <= room and {one.sandbox} == kinds]
    smallest = min(candidates, key=_size, default=None)
    if smallest and Legs.joined(batch.legs for batch in (smallest, *batches)).in_order().are_in_order():
        return smallest
    return None


def _size(batch: Batch) -> int:
    """Return the number of a batch's legs and rows, on which its memory and time depend."""
    return len(batch.legs) + sum(part.rows for part in batch.parts)


def _rewritten(
    contest: Contest, writer: Writer, sources: Sequence[tuple[Batch, npt.NDArray[np.bool_]]], sessions_per_leg: int
) -> Batch:
    """Return the first of these batches with the remaining legs of all of them, and stage its parts.

    Args:
        sources: Batches, each with a flag for each leg that shows whether it remains. At least one.

    Raises:
        RunError: A batch isn't as its legs say, or can't be opened.
        FileNotFoundError: A part is missing.
        OSError: A part can't be read or written.
        ValueError: The legs couldn't be read again.
    """
    first, storage = sources[0][0], writer.storage
    origin = writer.field.origin if writer.field and len(sources) > 1 else first.origin
    assert origin
    staged = staged_name(first.name)
    writers: list[PartWriter] = []
    try:
        for table in BATCH_TABLES:
            copy_args = table, contest.columns(table), sources, sessions_per_leg
            writers.append(copy_legs(storage, *copy_args, f"{staged}-{table}"))
        games, sessions = writers
        legs = Legs.joined(batch.legs.take(np.flatnonzero(stay)) for batch, stay in sources).in_order()
        return finish_batch(games, sessions, legs, origin, first.sandbox, first.name)
    except BaseException:
        for one in writers:
            one.abandon()
        raise
