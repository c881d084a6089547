"""What luck was worth in legs, worked out from their rows while they lie in a batch's buffer."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from engine.kernel.records import Table
from tournament.contests.contest import Contest, LegLuck
from tournament.contests.settings import ContestSettings
from tournament.leg import Leg


class LuckOfRows:
    """Reads a batch's rows of games, leg by leg, and gives each leg's luck by its digest."""

    def __init__(self, contest: Contest, settings: ContestSettings, artifacts: Mapping[str, bytes]) -> None:
        self._contest, self._settings, self._artifacts = contest, settings, artifacts
        self._legs: list[tuple[str, LegLuck]] = []
        self._ends: list[int] = []  # the rows of the batch at which finished legs end
        self._current = 0
        self._row = 0

    def begin(self, leg: Leg) -> None:
        """The rows that follow are this leg's."""
        assert self._contest.luck
        house = self._artifacts[leg.y.artifact] if leg.y.kind == "house" else None
        first_session = leg.plan.number * (1 if self._contest.house else self._settings.sessions)
        self._legs.append((leg.digest, self._contest.luck.new(self._settings, first_session, house)))

    def end(self, games: int) -> None:
        """The leg had so many rows."""
        self._ends.append((self._ends[-1] if self._ends else 0) + games)

    def take(self, table: Table) -> None:
        """Read a table's rows, before it is emptied."""
        assert self._contest.luck
        columns = {name: table.arrays[name] for name in self._contest.luck.columns}
        end = self._row + table.rows
        while self._row < end:
            while self._current < len(self._ends) and self._ends[self._current] <= self._row:
                self._current += 1
            until = min(end, self._ends[self._current]) if self._current < len(self._ends) else end
            first = self._row - end + table.rows
            piece = slice(first, first + until - self._row)
            self._legs[self._current][1].add({name: values[piece] for name, values in columns.items()})
            self._row = until

    def by_digest(self) -> dict[str, npt.NDArray[np.float64]]:
        """Each leg's luck in points, by block."""
        return {digest: luck.blocks() for digest, luck in self._legs}
