"""Points of each bot in each match, with a row for each seat, for matches.parquet."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.arrays import Cells, Floats, Ints
from tournament.standings.house import HousePlay
from tournament.standings.standard_errors import Strata, summed
from tournament.store.legs import Legs

# Replica of a row that sums over all replicas of a match.
SUMMED = -1


@dataclass(frozen=True, eq=False)
class MatchRows:
    """Matches in order of their numbers, or single replicas of matches if tables are drawn.

    Attributes:
        integers: Match, replica, legs, sessions and games, by match and column. The replica is SUMMED unless tables are
            drawn.
        names: Names of all players.
        players: Index into `names`, by match and seat.
        house: Index into `names` of the house player, by match; −1 if there is none.
        points: Points by match and seat, over all legs.
        stderr: Standard errors of points, by match and seat. They are NaN if unknown: if tables are drawn, a fault
            ended a leg, or there are too few replicas or sessions.
    """

    integers: Ints
    names: tuple[str, ...]
    players: npt.NDArray[np.int32]
    house: npt.NDArray[np.int32]
    points: Floats
    stderr: Floats

    @classmethod
    def nothing(cls) -> MatchRows:
        """Return a table without matches."""
        none = np.zeros((0, 2), np.int32)
        return cls(np.zeros((0, 5), np.int64), (), none, none[:, 0], np.zeros((0, 2)), np.zeros((0, 2)))

    def columns(self) -> Cells:
        """Return the columns of matches.parquet, with a row for each match and seat, by match and then by seat.

        Unknown errors are NaN. The name of a missing house player is "".
        """
        seats, names = self.points.shape[1], np.array([*self.names, ""], object)
        match, replica, legs, sessions, games = np.repeat(self.integers.T, seats, axis=1)
        return {
            "match": match,
            "replica": replica,
            "seat": np.tile(np.arange(seats), len(self.integers)),
            "bot": names[self.players.ravel()].tolist(),
            "house": names[np.repeat(self.house, seats)].tolist(),
            "legs": legs,
            "sessions": sessions,
            "games": games,
            "points": self.points.ravel(),
            "stderr": self.stderr.ravel(),
        }


def match_rows(legs: Legs, legs_per_replica: int, house: HousePlay | None, *, drawn: bool) -> MatchRows:
    """Return the rows of legs, in order of match numbers and, if tables are drawn, replicas.

    Args:
        legs: Legs in order of match and leg numbers.
        legs_per_replica: Number of legs of a replica.
        house: Play of these legs against house players; None if there is none.
        drawn: Whether tables are drawn, so that each replica of a match has other bots.
    """
    if not len(legs):
        return MatchRows.nothing()
    replica = legs.number // legs_per_replica
    edges = np.diff(legs.match, prepend=-1) != 0
    if drawn:
        edges |= np.diff(replica, prepend=-1) != 0
    first = np.flatnonzero(edges)
    counts = [np.diff(first, append=len(legs)), *(summed(one, first) for one in (legs.sessions, legs.games))]
    strata = house.strata if house else Strata.from_points(legs, legs_per_replica, legs.sessions)
    seats = range(legs.seats)
    points = np.stack([_totals(legs.seat_columns(seat).points, first, len(legs)) for seat in seats], axis=1)
    if drawn:
        # One replica shows no error.
        stderr = np.full(points.shape, np.nan)
    else:
        stderr = strata.replicas[:, np.newaxis] * np.sqrt(strata.covariances[:, seats, seats])
        is_unknown = strata.freedom < 1
        # A leg that a fault ended isn't a sample of sessions.
        is_unknown[np.searchsorted(first, np.flatnonzero(legs.ended), side="right") - 1] = True
        stderr[is_unknown] = np.nan
    replica_by_match = replica[first] if drawn else np.full(len(first), SUMMED)
    return MatchRows(
        np.stack([legs.match[first], replica_by_match, *counts], axis=1),
        legs.names,
        legs.players[first],
        legs.house[first],
        points,
        stderr,
    )


def _totals(points: npt.NDArray[np.float64], first: Ints, end: int) -> Floats:
    """Return sums of points over matches, each rounded once.

    Args:
        points: Points of a seat by leg.
        first: Index of the first leg of each match.
        end: Number of legs.
    """
    # Adding 0.0 replaces -0.0.
    totals = points[first] + 0.0
    ends = np.append(first[1:], end)
    for match in np.flatnonzero(ends - first > 1).tolist():
        totals[match] = math.fsum(points[first[match] : ends[match]].tolist())
    return totals
