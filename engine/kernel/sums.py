"""A seat's sums over a leg."""

from __future__ import annotations

from typing import NamedTuple


class SeatSums(NamedTuple):
    """A seat's sums over a leg.

    Attributes:
        points: Sum of its points.
        squared_points: Sum of the squares of its points in each session.
        blocks: Its points by block. The blocks are BLOCK_COUNT equal runs of the leg's sessions, or of its games if
            games are scored.
    """

    points: float
    squared_points: float
    blocks: tuple[float, ...]

    def opposite(self) -> SeatSums:
        """Return the other seat's sums in a zero-sum game."""
        return SeatSums(0.0 - self.points, self.squared_points, tuple(0.0 - points for points in self.blocks))
