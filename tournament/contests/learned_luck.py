"""What the luck of sessions of hands has in common: what it assumes is learned from a bot's earlier hands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT

_LEARNED_BEFORE = (1, 2, 4, 8, 16)  # blocks


class LearnedLuck:
    """Goes through a session of so many hands as they come, in any pieces."""

    def __init__(self, hands: int) -> None:
        self.hands = hands
        self.played = 0
        self.luck = np.zeros(BLOCK_COUNT)
        self._next = [-(-block * hands // BLOCK_COUNT) for block in _LEARNED_BEFORE]

    def learn(self) -> None:
        """Work out anew what is assumed of the bot."""
        raise NotImplementedError

    def pieces(self, rows: int) -> Iterator[slice]:
        """Cuts the next hands where something is to be learned before one, and counts them as played."""
        row = 0
        while row < rows:
            while self._next and self.played == self._next[0]:
                self._next.pop(0)
                self.learn()
            end = min(rows, row + self._next[0] - self.played) if self._next else rows
            yield slice(row, end)
            self.played += end - row
            row = end

    def blocks(self) -> npt.NDArray[np.float64]:
        """What luck was worth to the bot, in chips, by block."""
        return self.luck
