"""The blocks of a leg: BLOCK_COUNT equal runs of its sessions, or of its games if games are scored."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT

_Whole = npt.NDArray[np.int64]


def block_of(number: _Whole, length: _Whole | int) -> _Whole:
    """Return the block of each of these sessions, or games, of a leg of a given length, as the cores compute it."""
    return number * BLOCK_COUNT // length


def block_starts(length: npt.ArrayLike) -> _Whole:
    """Return the first session, or game, of each block of a leg, followed by the length, with a row for each length."""
    starts: _Whole = -(-np.arange(BLOCK_COUNT + 1) * np.asarray(length, np.int64)[..., np.newaxis] // BLOCK_COUNT)
    return starts


def block_sizes(length: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the number of sessions, or games, in each block of a leg, with a row for each length."""
    if np.ndim(length) and np.size(length) and np.min(length) == np.max(length):  # true for nearly all legs
        return np.broadcast_to(block_sizes(np.ravel(length)[0]), (np.size(length), BLOCK_COUNT))
    return np.diff(block_starts(length)).astype(np.float64)
