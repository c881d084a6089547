"""Two versions of a bot, one after the other, at the same tables of three and more: same position, companions, deals.

The companions of each table are drawn from the field. So a table is one independent sample of how much better a
version is, with the error of the draw in it. What deals and companions do to both versions drops out of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from tournament.arrays import Floats
from tournament.leg import legs_per_replica
from tournament.store.legs import Legs

Companions = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PairedTables:
    """Points of both versions at the tables that both sat at.

    Attributes:
        companions: Names of the others at each table, sorted at each. Several tables can have the same companions.
        points: Mean points per session, with a row for each version and a column for each table.
    """

    companions: Sequence[Companions]
    points: Floats

    @classmethod
    def of(
        cls, versions: Sequence[tuple[str, Legs]], settings: Mapping[str, object], excluded: Set[str] = frozenset()
    ) -> PairedTables:
        """Return the tables that two versions both sat at, in the order of the first version's legs by seat.

        Args:
            versions: Name and legs of each of the two. The first version's points are in the first row.
            settings: Settings of the contest, by which legs are grouped into replicas.
            excluded: Names of bots whose tables don't count, because they were disqualified.
        """
        tables = [_by_table(name, legs, legs_per_replica(settings, legs.seats)) for name, legs in versions]
        both = [table for table in tables[0] if table in tables[1] and excluded.isdisjoint(table[0])]
        points = np.array([[one[table] for table in both] for one in tables], np.float64).reshape(2, -1)
        return cls([table[0] for table in both], points)

    def with_companion(self, name: str) -> PairedTables:
        """Return the tables at which this companion sat, in their order. There can be none."""
        indices = [index for index, names in enumerate(self.companions) if name in names]
        return PairedTables([self.companions[index] for index in indices], self.points[:, indices])

    @property
    def differences(self) -> Floats:
        """Lead of the first version at each table, in points per session, in the order of the tables."""
        leads: Floats = self.points[0] - self.points[1]
        return leads

    @property
    def games_of_unpaired(self) -> float | None:
        """Games for a verdict as a share of those of play without pairs.

        It is None with fewer than two tables, or if no version's points vary.

        A test needs games in proportion to the variance of a table's difference. Without pairs that is the sum of both
        versions' variances.
        """
        if len(self.companions) < 2:
            return None
        unpaired = float(self.points.var(axis=1, ddof=1).sum())
        return float(self.differences.var(ddof=1)) / unpaired if unpaired > 0 else None


def mean_and_error(values: Floats) -> tuple[float, float | None, float]:
    """Return the mean of a sample, its standard error in the same unit, and the degrees of freedom.

    With fewer than two values the error is None and there are no degrees of freedom. The mean of no value is 0.
    """
    count = len(values)
    if count < 2:
        return float(values.mean()) if count else 0.0, None, 0.0
    return float(values.mean()), float(values.std(ddof=1)) / math.sqrt(count), count - 1.0


def _by_table(name: str, legs: Legs, per_replica: int) -> dict[tuple[Companions, int], float]:
    """Return a bot's mean points per session over all legs of a replica, by companions and replica.

    Companions are sorted by name, and replicas are numbered from 0. Entries are in the order of the bot's seats, then
    of the legs.

    Args:
        name: Name of the bot.
        legs: Legs of all bots.
        per_replica: Number of legs of a replica.
    """
    points: dict[tuple[Companions, int], list[float]] = {}
    sessions: dict[tuple[Companions, int], int] = {}
    names = legs.names
    for seat in range(legs.seats):
        won = legs.seat_columns(seat).points
        own = legs.numbered(seat, {name: 0}) == 0
        for leg in np.flatnonzero(own).tolist():
            companions = tuple(sorted(names[one] for at, one in enumerate(legs.players[leg].tolist()) if at != seat))
            table = companions, int(legs.number[leg]) // per_replica
            points.setdefault(table, []).append(float(won[leg]))
            sessions[table] = sessions.get(table, 0) + int(legs.sessions[leg])
    return {table: math.fsum(won) / max(1, sessions[table]) for table, won in points.items()}
