"""Points within legs, by block of sessions (of games, where games are scored), read from the records."""

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
    """Return the legs of these batches in order, and amounts added up: by amount, leg and block.

    Args:
        contest: The contest.
        storage: Where its records are.
        batches: Those to read.
        amounts: Takes the points of each seat in rows, and returns what to add up for each row.

    Raises:
        RunError: A part is damaged.
        FileNotFoundError: A part is missing.
    """
    from tournament.store.parts import numbers_of  # pyarrow, which reading standings doesn't need

    scored = contest.scored
    nothing = amounts((np.zeros(0),) * (len(scored.columns) + scored.zero_sum))
    found: list[Floats] = []
    for batch in batches:
        part, legs = batch.part(scored.table), batch.legs
        # Legs lie one after the other.
        length = legs.games if scored.table == "games" else legs.sessions
        lengths, leg_of = np.repeat(length, length), np.repeat(np.arange(len(legs)), length)
        several, row = [], 0
        for rows in numbers_of(storage, part, contest.columns(scored.table), scored.read):
            count = len(rows[scored.columns[0]])
            several.append(amounts(scored.points(rows, legs, leg_of[row : row + count])))
            row += count
        number = np.arange(len(lengths)) - np.repeat(np.cumsum(length) - length, length)
        cell = leg_of * BLOCK_COUNT + block_of(number, lengths)
        cells = len(legs) * BLOCK_COUNT
        sums: list[Floats] = [np.bincount(cell, np.concatenate(one), cells).astype(float) for one in zip(*several)]
        sums = sums or [np.zeros(cells) for _ in nothing]
        found.append(np.reshape(sums, (-1, len(legs), BLOCK_COUNT)))
    legs = Legs.joined(batch.legs for batch in batches)
    order = np.argsort(pair_keys(legs.match, legs.number), kind="stable")
    if not found:
        return legs, np.zeros((len(nothing), 0, BLOCK_COUNT))
    return legs.chosen(order), np.concatenate(found, axis=1)[:, order]
