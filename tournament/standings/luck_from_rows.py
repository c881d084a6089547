"""What luck was worth in legs, worked out from their rows of games in one pass."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT
from tournament.arrays import Floats
from tournament.contests.contest import Contest, LegLuck
from tournament.contests.settings import ContestSettings
from tournament.store.legs import Legs


class LuckOfRows:
    """Reads the rows of legs that follow each other, in any pieces.

    Of a leg whose rows have all come only its points stay: what works them out may take a hundred kilobytes.
    """

    def __init__(self, contest: Contest, settings: ContestSettings) -> None:
        assert contest.luck is not None
        self._columns, self._new = contest.luck.columns, contest.luck.new
        self._settings = settings
        self._sessions_per_leg = contest.sessions_of_leg(settings)
        self._begun: deque[int] = deque()  # the numbers of legs whose rows have not all come
        self._ends: deque[int] = deque()  # the rows at which those of them that are over end
        self._current: LegLuck | None = None
        self._row = self._end = 0
        self._found: list[Floats] = []

    def begin(self, number: int) -> None:
        """The rows that follow are those of a leg of this number."""
        self._begun.append(number)

    def end(self, games: int) -> None:
        """The leg had this many rows."""
        self._end += games
        self._ends.append(self._end)

    def add(self, columns: Mapping[str, npt.NDArray[Any]], rows: int) -> None:
        """The next rows, flags as bool or uint8. Raises ValueError for games that no leg has."""
        first = self._row
        while self._row < first + rows:
            self._close_legs()
            until = min(first + rows, self._ends[0] if self._ends else first + rows)
            if not self._begun:
                raise ValueError("games of no leg")
            self._current = self._current or self._luck_of(self._begun[0])
            piece = slice(self._row - first, until - first)
            self._current.add({name: _without_bool(columns[name][piece]) for name in self._columns})
            self._row = until

    def points(self) -> Floats:
        """The luck in all legs so far, in points, a row each and by block."""
        self._close_legs()
        return np.array(self._found).reshape(-1, BLOCK_COUNT)

    def _close_legs(self) -> None:
        """Keep the points of legs that are over and whose rows have all come."""
        while self._ends and self._ends[0] <= self._row:
            self._ends.popleft()
            own, self._current = self._current or self._luck_of(self._begun[0]), None
            self._begun.popleft()
            self._found.append(own.blocks())

    def _luck_of(self, number: int) -> LegLuck:
        """Of a new leg."""
        return self._new(self._settings, number * self._sessions_per_leg)


def luck_of_legs(contest: Contest, settings: ContestSettings, legs: Legs) -> LuckOfRows:
    """To read the games of these legs."""
    luck = LuckOfRows(contest, settings)
    for number, games in zip(legs.number.tolist(), legs.games.tolist()):
        luck.begin(number)
        luck.end(games)
    return luck


def _without_bool(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return values.view(np.uint8) if values.dtype == bool else values
