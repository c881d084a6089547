"""Cutting out of parts the legs that no longer count.

Parts are compared with their hashes before: what is damaged is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from tournament.contests.contest import Contest
from tournament.errors import RunError
from tournament.runner.resume import Cut, batches_to_cut, tell_removed_matches, withdraw
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.legs import Schedule
from tournament.store.field import Batch
from tournament.store.part_writer import PartWriter, finish_batch
from tournament.store.parts import copy_legs, damage
from tournament.store.storage import Storage, staged_name
from tournament.store.writer import Writer


def drop_unscheduled_legs(
    contest: Contest, writer: Writer, schedule: Schedule, say: Callable[[str], None]
) -> Reconciliation:
    """Take out of the records what the schedule doesn't have, and say so. Returns what is left to play. Raises as
    `commit` does."""
    while True:
        cuts, left = batches_to_cut(writer.batches(), schedule)
        problems = _damages(writer.storage, (cut.batch for cut in cuts if cut.counts.any()))
        if not problems:
            break
        withdraw(writer, {name: f"is {problem}" for name, problem in problems.items()}, say)
    tell_removed_matches(writer, cuts, schedule, left.out, say)
    writer.commit(without=[cut.batch.name for cut in cuts if not cut.counts.any()])
    forged: dict[str, str] = {}
    for cut in cuts:
        if cut.counts.any():
            try:
                batch = _cut(contest, writer.storage, cut, schedule.sessions_per_leg)
            except RunError as problem:  # Its hashes are right, so it was written like this.
                forged[cut.batch.name] = str(problem).partition(".parquet ")[2]
            else:
                writer.commit([batch])
    if forged:
        withdraw(writer, forged, say)
        return drop_unscheduled_legs(contest, writer, schedule, say)
    return left


def _damages(storage: Storage, batches: Iterable[Batch]) -> dict[str, str]:
    """What is wrong with damaged batches, by name, from the hashes of their parts."""
    several = list(batches)
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda batch: {damage(storage, part) for part in batch.parts} - {""}, several))
    return {batch.name: max(problems) for batch, problems in zip(several, found) if problems}


def _cut(contest: Contest, storage: Storage, cut: Cut, sessions_per_leg: int) -> Batch:
    """The batch with the legs that stay, staged."""
    batch, staged = cut.batch, staged_name(cut.batch.name)
    assert batch.origin
    writers: list[PartWriter] = []
    try:
        for part in batch.parts:
            of = contest.columns(part.table), part, batch.legs, cut.counts, sessions_per_leg
            writers.append(copy_legs(storage, *of, f"{staged}-{part.table}"))
        games, sessions = writers
        legs = batch.legs.chosen(np.flatnonzero(cut.counts))
        return finish_batch(games, sessions, legs, batch.origin, batch.sandbox, batch.name)
    except BaseException:
        for writer in writers:
            writer.abandon()
        raise
