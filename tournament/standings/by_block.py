"""Amounts within legs by block of sessions (of games, if games are scored), read from the records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.kernel.blocks import block_of
from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.contest import Contest
from tournament.store.field import Batch
from tournament.store.legs import Legs, pair_keys
from tournament.store.storage import Storage


def by_block(
    contest: Contest,
    storage: Storage,
    batches: Sequence[Batch],
    amounts: Callable[[tuple[Floats, ...]], Sequence[Floats]],
) -> tuple[Legs, Floats]:
    """Return the legs of batches by match and leg number, and sums of amounts by amount, leg and block.

    A leg has `BLOCK_COUNT` blocks. In short legs some are empty, and their sums are 0.

    Args:
        contest: Contest of the records.
        storage: Storage of the records.
        batches: Batches to read.
        amounts: Called with the points of each seat by row, also once with empty arrays. It returns arrays of the
            amounts to add, by row, and always the same number of them.

    Raises:
        RunError: A part is damaged, has other columns or rows, or can't be opened.
        FileNotFoundError: A part is missing.
    """
    # Imported here, because it loads pyarrow, which standings don't need.
    from tournament.store.parts import read_rows_with_bytes

    scored = contest.scored
    nothing = amounts((np.zeros(0),) * (len(scored.columns) + scored.zero_sum))
    by_batch: list[Floats] = []
    for batch in batches:
        part, legs = batch.part(scored.table), batch.legs
        # Rows of a leg are adjacent, and legs are in order.
        length = legs.games if scored.table == "games" else legs.sessions
        lengths, leg_of = np.repeat(length, length), np.repeat(np.arange(len(legs)), length)
        by_group, row = [], 0
        for rows in read_rows_with_bytes(storage, part, contest.columns(scored.table), scored.read):
            count = len(rows[scored.columns[0]])
            by_group.append(amounts(scored.points(rows, legs, leg_of[row : row + count])))
            row += count
        number = np.arange(len(lengths)) - np.repeat(np.cumsum(length) - length, length)
        cell = leg_of * BLOCK_COUNT + block_of(number, lengths)
        cells = len(legs) * BLOCK_COUNT
        sums: list[Floats] = [np.bincount(cell, np.concatenate(one), cells).astype(float) for one in zip(*by_group)]
        sums = sums or [np.zeros(cells) for _ in nothing]
        by_batch.append(np.reshape(sums, (-1, len(legs), BLOCK_COUNT)))
    legs = Legs.joined(batch.legs for batch in batches)
    order = np.argsort(pair_keys(legs.match, legs.number), kind="stable")
    if not by_batch:
        return legs, np.zeros((len(nothing), 0, BLOCK_COUNT))
    return legs.take(order), np.concatenate(by_batch, axis=1)[:, order]
