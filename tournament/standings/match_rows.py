"""What each bot won in each match: a row for each seat, as matches.parquet has it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.arrays import Cells, Floats, Whole
from tournament.standings.house import HousePlay
from tournament.standings.standard_errors import Strata, summed
from tournament.store.legs import Legs

SUMMED = -1  # the replica of a match that is summed over all of its replicas


@dataclass(frozen=True, eq=False)
class MatchRows:
    """Matches in order, those of drawn tables replica by replica.

    Attributes:
        whole: A column each for match, replica, legs, sessions and games; a row for each match.
        names: The names of all that play.
        players: The places of the bots in these, a column for each seat.
        house: That of the house player, −1 for none.
        points: What each seat won, a column for each seat.
        stderr: Standard errors of these; NaN for what can't be told.
    """

    whole: Whole
    names: tuple[str, ...]
    players: npt.NDArray[np.int32]
    house: npt.NDArray[np.int32]
    points: Floats
    stderr: Floats

    @classmethod
    def nothing(cls) -> MatchRows:
        """Return no matches."""
        none = np.zeros((0, 2), np.int32)
        return cls(np.zeros((0, 5), np.int64), (), none, none[:, 0], np.zeros((0, 2)), np.zeros((0, 2)))

    def columns(self) -> Cells:
        """Return the columns of matches.parquet, a row for each match and seat; NaN for what can't be told."""
        seats, names = self.points.shape[1], np.array([*self.names, ""], object)
        match, replica, legs, sessions, games = np.repeat(self.whole.T, seats, axis=1)
        return {
            "match": match,
            "replica": replica,
            "seat": np.tile(np.arange(seats), len(self.whole)),
            "bot": names[self.players.ravel()].tolist(),
            "house": names[np.repeat(self.house, seats)].tolist(),
            "legs": legs,
            "sessions": sessions,
            "games": games,
            "points": self.points.ravel(),
            "stderr": self.stderr.ravel(),
        }


def match_rows(legs: Legs, legs_per_replica: int, house: HousePlay | None, *, drawn: bool) -> MatchRows:
    """Return the rows of legs in order. Where tables are drawn, each replica of a match has other bots."""
    if not len(legs):
        return MatchRows.nothing()
    replica = legs.number // legs_per_replica
    edges = np.diff(legs.match, prepend=-1) != 0
    if drawn:
        edges |= np.diff(replica, prepend=-1) != 0
    first = np.flatnonzero(edges)
    counts = [np.diff(first, append=len(legs)), *(summed(one, first) for one in (legs.sessions, legs.games))]
    strata = house.strata if house else Strata.of_points(legs, legs_per_replica, legs.sessions)
    seats = range(legs.seats)
    points = np.stack([_totals(legs.of_seat(seat).points, first, len(legs)) for seat in seats], axis=1)
    if drawn:
        stderr = np.full(points.shape, np.nan)  # of one replica
    else:
        stderr = strata.replicas[:, np.newaxis] * np.sqrt(strata.covariances[:, seats, seats])
        unknown = strata.freedom < 1
        # A leg that was cut short is no sample of sessions.
        unknown[np.searchsorted(first, np.flatnonzero(legs.ended), side="right") - 1] = True
        stderr[unknown] = np.nan
    which = replica[first] if drawn else np.full(len(first), SUMMED)
    return MatchRows(
        np.stack([legs.match[first], which, *counts], axis=1),
        legs.names,
        legs.players[first],
        legs.house[first],
        points,
        stderr,
    )


def _totals(points: npt.NDArray[np.float64], first: Whole, end: int) -> Floats:
    """Sums of points over matches, each rounded once."""
    totals = points[first] + 0.0  # no -0.0
    ends = np.append(first[1:], end)
    for place in np.flatnonzero(ends - first > 1).tolist():
        totals[place] = math.fsum(points[first[place] : ends[place]].tolist())
    return totals
