"""The sums of each pairing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tournament.standings import replicas
from tournament.standings.house import HousePlay
from tournament.store.legs import Legs


class Match(NamedTuple):
    """The sums of one pairing. Where y is a house player, x also has a score and measures.

    A tuple, since there are half a million in a field of a thousand.
    """

    match: int
    x: str
    y: str
    legs: int
    sessions: int
    games: int
    x_points: float
    x_points_stderr: float | None
    y_points: float
    y_points_stderr: float | None
    score: float | None = None
    measures: Mapping[str, float | None] = MappingProxyType({})

    @property
    def points_per_session(self) -> float:
        return self.x_points / self.sessions if self.sessions else 0.0

    @property
    def stderr_per_session(self) -> float | None:
        return self.x_points_stderr / self.sessions if self.x_points_stderr is not None else None

    def from_y(self) -> Match:
        """The same match with the sides swapped."""
        return self._replace(
            x=self.y,
            y=self.x,
            x_points=self.y_points,
            x_points_stderr=self.y_points_stderr,
            y_points=self.x_points,
            y_points_stderr=self.x_points_stderr,
        )


def matches_of(legs: Legs, legs_per_replica: int, house: HousePlay | None) -> tuple[Match, ...]:
    """The matches of legs in order; `house` where entrants play house players."""
    ranges = legs.matches()
    cut_short = {place for place, rest in enumerate(legs.rest) if rest.ended_by is not None}
    x_points, y_points = (_totals(legs.of_seat(seat).points, ranges) for seat in (0, 1))
    x_errors, y_errors = (
        house.errors_of_matches() if house else replicas.errors_of_matches(legs, legs.of_seat(seat), legs_per_replica)
        for seat in (0, 1)
    )
    numbers, sessions, games = legs.match.tolist(), legs.sessions.tolist(), legs.games.tolist()
    no_measures: dict[str, float | None] = {}
    found = []
    for place, (first, end) in enumerate(ranges):
        # A leg that was cut short is no sample of sessions.
        no_errors = cut_short and not cut_short.isdisjoint(range(first, end))
        found.append(
            Match(
                numbers[first],
                legs.x[first],
                legs.y[first],
                end - first,
                sum(sessions[first:end]),
                sum(games[first:end]),
                x_points[place],
                None if no_errors else x_errors[place],
                y_points[place],
                None if no_errors else y_errors[place],
                *(house.score_and_measures(first, end) if house else (None, no_measures)),
            )
        )
    return tuple(found)


def _totals(points: npt.NDArray[np.float64], ranges: Sequence[tuple[int, int]]) -> list[float]:
    values = points.tolist()
    return [math.fsum(values[first:end]) for first, end in ranges]
