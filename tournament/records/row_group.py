"""A row group of recorded games, with the legs and the players of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.presentation import Rows
from tournament.errors import RunError
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Group:
    """A row group.

    Attributes:
        rows: Rows of the group.
        legs: All legs of the part.
        edges: First row of each leg of the part, relative to the group, and the row after the last leg. They can be
            outside the group.
        leg_range: Indices of the legs with rows in the group, among all legs of the part.
    """

    rows: Rows
    legs: Legs
    edges: npt.NDArray[np.int64]
    leg_range: range

    @classmethod
    def from_rows(cls, rows: Rows, legs: Legs, first_row: int) -> Group:
        """Return a row group of games.

        Args:
            rows: Rows of the group.
            legs: All legs of the part.
            first_row: Number of the group's first row in the part.

        Raises:
            RunError: The rows belong to other legs than the records have.
        """
        count = len(rows["match"])
        edges = np.concatenate([[0], np.cumsum(legs.games)]) - first_row
        leg_range = range(int(np.searchsorted(edges[1:], 0, "right")), int(np.searchsorted(edges[:-1], count, "left")))
        group = cls(rows, legs, edges, leg_range)
        if int(group.lengths.sum()) != count or not (group.by_row(legs.match) == rows["match"]).all():
            raise RunError("a part has rows of other legs than its sessions part; tournament verify shows which")
        return group

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Number of rows of each of its legs in this group."""
        inside = np.clip(self.edges[self.leg_range.start : self.leg_range.stop + 1], 0, len(self.rows["match"]))
        return np.diff(inside)

    def by_row(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return a value of each leg of the part, by row of the group."""
        return np.repeat(values[self.leg_range.start : self.leg_range.stop], self.lengths)

    def by_session(self, values: npt.NDArray[Any], sessions: int) -> npt.NDArray[Any]:
        """Return a value of each recorded session of the part, by row of the group.

        Args:
            values: The values.
            sessions: Number of sessions of a leg.
        """
        legs = self.legs
        first = np.cumsum(legs.sessions) - legs.sessions - legs.number * sessions
        last = self.by_row(np.maximum(0, np.cumsum(legs.sessions) - 1))
        by_row: npt.NDArray[Any] = values[np.minimum(self.by_row(first) + self.rows["session"], last)]
        return by_row

    def players(self, number: Mapping[str, int], *, by_position: bool) -> list[npt.NDArray[np.int32]]:
        """Return the players of each row as numbers, by seat or position, then the house player if legs have one seat.

        Args:
            number: Index of each entrant by name. All others get the next number.
            by_position: Whether rows name the bots by position.
        """
        other_number = len(number)
        numbers = np.array([*(number.get(name, other_number) for name in self.legs.names), other_number], np.int32)
        if by_position:
            columns = [f"bot_{seat}" for seat in range(self.legs.seats)]
            players = [np.array([number.get(name, other_number) for name in self.rows[column].tolist()], np.int32)
                     for column in columns]  # fmt: skip
        else:
            players = [self.by_row(numbers[self.legs.players[:, seat]]) for seat in range(self.legs.seats)]
        return players + [self.by_row(numbers[self.legs.house])] * (self.legs.seats == 1)
