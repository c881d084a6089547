"""Sums of each pairing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats, Ints
from tournament.standings.house import HousePlay
from tournament.standings.standard_errors import Strata, summed
from tournament.standings.student_t import half_width, quantiles
from tournament.store.legs import Legs


class Match(NamedTuple):
    """Sums of one pairing over all legs and replicas.

    Errors are unknown if a fault ended a leg, or if the match has too few replicas or sessions.

    Attributes:
        match: Number of the match.
        x: Name of the first bot.
        y: Name of the second bot, or of the house player.
        legs: Number of legs.
        sessions: Number of sessions.
        games: Number of games.
        points_0: Points of x in all sessions. With more than two seats it is the lead of x over y.
        points_0_stderr: Standard error of `points_0`; None if unknown.
        points_1: Points of y in all sessions. With more than two seats, or a house player, it is −`points_0`.
        points_1_stderr: Standard error of `points_1`; None if unknown.
        freedom: Degrees of freedom of the errors. 0 if they are unknown.
        lead_stderr: Standard error of `points_0` − `points_1`; None if unknown.
        score: Score of x against a house player; None against a bot.
        measures: The contest's measures of play against a house player, by name. Empty against a bot.
    """

    match: int
    x: str
    y: str
    legs: int
    sessions: int
    games: int
    points_0: float
    points_0_stderr: float | None
    points_1: float
    points_1_stderr: float | None
    freedom: int = 0
    lead_stderr: float | None = None
    score: float | None = None
    measures: Mapping[str, float | None] = MappingProxyType({})

    @property
    def points_per_session(self) -> float:
        """Points of x per session, or 0.0 without sessions."""
        return self.points_0 / self.sessions if self.sessions else 0.0

    @property
    def stderr_per_session(self) -> float | None:
        """Standard error of x's points per session, or None if unknown."""
        return self.points_0_stderr / max(1, self.sessions) if self.points_0_stderr is not None else None

    @property
    def lead_stderr_per_session(self) -> float | None:
        """Standard error of the lead per session, or None if unknown."""
        return self.lead_stderr / max(1, self.sessions) if self.lead_stderr is not None else None

    @property
    def ci_half_width_per_session(self) -> float | None:
        """Half-width of the 95% interval of x's points per session, or None if unknown."""
        error = self.stderr_per_session
        return None if error is None else half_width(error, self.freedom)

    def from_y(self) -> Match:
        """Return the same match with x and y swapped. `score` and `measures` remain as they are."""
        return Match(
            self.match, self.y, self.x, self.legs, self.sessions, self.games, self.points_1, self.points_1_stderr,
            self.points_0, self.points_0_stderr, self.freedom, self.lead_stderr, self.score, self.measures,
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Matches(Sequence[Match]):
    """Matches as columns, because a field of a thousand bots has half a million. A Match is made for each one accessed.

    Callers must not change the arrays, which slices share.

    Attributes:
        names: Names of all players.
        players: Index into `names` of x and of y, by match.
        integers: Integers by match and column: number, legs, sessions, games and degrees of freedom.
        amounts: By match and column: points_0, its error, points_1, its error, and the error of the lead. Unknown
            errors are NaN.
        scored: Score and measures of each match against a house player. Empty if bots play each other.
    """

    names: tuple[str, ...]
    players: npt.NDArray[np.int32]
    integers: npt.NDArray[np.int64]
    amounts: npt.NDArray[np.float64]
    scored: Sequence[tuple[float | None, Mapping[str, float | None]]] = ()

    @classmethod
    def from_matches(cls, matches: Sequence[Match] = ()) -> Matches:
        """Return matches as columns, in the same order. Names are in the order in which they first occur."""
        names = {name: index for index, name in enumerate(dict.fromkeys(n for one in matches for n in (one.x, one.y)))}

        def columns(fields: Sequence[str], kind: type) -> npt.NDArray[Any]:
            """Return fields of all matches as an array, by match and field."""
            return np.array([[getattr(one, name) for name in fields] for one in matches], kind).reshape(-1, len(fields))

        players = np.array([(names[one.x], names[one.y]) for one in matches], np.int32).reshape(-1, 2)
        scored = [(one.score, one.measures) for one in matches]
        return cls(tuple(names), players, columns(_INTEGERS, np.int64), columns(_AMOUNTS, np.float64), scored)

    def numbered(self, numbers: Mapping[str, int]) -> Ints:
        """Return the numbers of x and y by match, or −1 for a player without a number: shape (matches, 2)."""
        return np.array([numbers.get(name, -1) for name in self.names], np.int64)[self.players]

    def column(self, name: str) -> list[Any]:
        """Return a field of each match in order: numbers, or the names of x or y. Unknown errors are None.

        Args:
            name: Name of a field of `Match` except `score` and `measures`.

        Raises:
            ValueError: There is no such column.
        """
        if name in ("x", "y"):
            return [self.names[player] for player in self.players[:, "xy".index(name)].tolist()]
        if name in _INTEGERS:
            values: list[Any] = self.integers[:, _INTEGERS.index(name)].tolist()
            return values
        values = self.amounts[:, _AMOUNTS.index(name)].tolist()
        return [None if math.isnan(value) else value for value in values] if name.endswith("_stderr") else values

    @property
    def ci_half_width_per_session(self) -> list[Floats]:
        """Half-widths of the 95% intervals of points per session: an array by match for x, and one for y.

        NaN if the error is unknown.
        """
        wide = quantiles(0.975, self.integers[:, 4])
        with np.errstate(invalid="ignore"):
            return [wide * (error / np.maximum(1, self.integers[:, 2])) for error in self.amounts.T[[1, 3]]]

    def __len__(self) -> int:
        return len(self.players)

    def __iter__(self) -> Iterator[Match]:
        for columns in zip(*map(self.column, Match._fields[:_PLAIN]), self.scored or itertools.repeat((None, {}))):
            yield Match(*columns[:_PLAIN], *columns[_PLAIN])

    @overload
    def __getitem__(self, index: int) -> Match: ...
    @overload
    def __getitem__(self, index: slice) -> Matches: ...
    def __getitem__(self, index: int | slice) -> Match | Matches:
        if isinstance(index, slice):
            columns = (self.players[index], self.integers[index], self.amounts[index])
            return Matches(self.names, *columns, self.scored[index])
        index = range(len(self))[index]
        return next(iter(self[index : index + 1]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Match.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]


_INTEGERS = ("match", "legs", "sessions", "games", "freedom")
_AMOUNTS = ("points_0", "points_0_stderr", "points_1", "points_1_stderr", "lead_stderr")
# Number of fields before the score.
_PLAIN = 12


def compute_matches(legs: Legs, legs_per_replica: int, house: HousePlay | None) -> Matches:
    """Return the matches of legs, in order of their numbers. The bot at seat 0, or the entrant, is x.

    Args:
        legs: Legs in order of match and leg numbers, at two seats, or at one against house players.
        legs_per_replica: Number of legs of a replica.
        house: Play against house players; None if there is none.
    """
    ranges = legs.matches()
    starts, ends = ranges.T
    strata = house.strata if house else Strata.from_points(legs, legs_per_replica, legs.sessions)
    amounts = np.empty((len(ranges), len(_AMOUNTS)))
    amounts[:, 0] = _totals(legs.seat_columns(0).points, starts, ends)
    # A house player's points are the entrant's, negated.
    if house:
        x = y = strata.covariances[:, 0, 0]
        both, amounts[:, 2] = 0.0 - x, 0.0 - amounts[:, 0]
        players = np.stack([legs.players[starts, 0], legs.house[starts]], axis=1)
    else:
        (x, both), (_, y) = strata.covariances.transpose(1, 2, 0)
        amounts[:, 2] = _totals(legs.seat_columns(1).points, starts, ends)
        players = legs.players[starts]
    amounts[:, 1], amounts[:, 3], amounts[:, 4] = strata.replicas * np.sqrt([x, y, np.maximum(x + y - 2 * both, 0.0)])
    # A leg that a fault ended isn't a sample of sessions.
    is_unknown = strata.freedom < 1
    is_unknown[np.searchsorted(ends, np.flatnonzero(legs.ended), side="right")] = True
    for column in (1, 3, 4):
        amounts[is_unknown, column] = np.nan
    sums = [summed(values, starts) for values in (legs.sessions, legs.games)]
    return Matches(
        legs.names,
        players,
        np.stack([legs.match[starts], ends - starts, *sums, strata.freedom], axis=1),
        amounts,
        [house.score_and_measures(first, end) for first, end in ranges.tolist()] if house else (),
    )


def _totals(points: npt.NDArray[np.float64], starts: Ints, ends: Ints) -> npt.NDArray[np.float64]:
    """Return sums of points over matches, each rounded once."""
    # Adding 0.0 replaces -0.0.
    totals = points[starts] + 0.0
    for match in np.flatnonzero(ends - starts > 1).tolist():
        totals[match] = math.fsum(points[starts[match] : ends[match]].tolist())
    return totals
