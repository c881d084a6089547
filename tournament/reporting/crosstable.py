"""Results of all pairs as matrices: for a thousand bots they are a million numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats
from tournament.standings.standings import Standings

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Crosstable:
    """Results by bot and opponent. Matrices have a row for each bot and a column for each opponent.

    Attributes:
        bots: Names of all entrants in the order of the standings, ranked ones first.
        ranked: Number of ranked entrants.
        opponents: Names of the house players, or `bots` again.
        value: Points of the bot per session or per game; 0 if the pair hasn't met.
        ci_half_width: Half-width of the value's 95% interval; NaN if unknown or the pair hasn't met.
        sessions: Number of sessions; 0 if the pair hasn't met.
        games: Number of games.
        middle: Value of an even result: 0, or the mean result of ranked bots in games that aren't zero-sum.
    """

    bots: tuple[str, ...]
    ranked: int
    opponents: tuple[str, ...]
    value: Floats
    ci_half_width: Floats
    sessions: Counts
    games: Counts
    middle: float

    @cached_property
    def is_square(self) -> bool:
        """True if bots play each other."""
        return self.bots == self.opponents

    @property
    def visible(self) -> Floats:
        """Results that a crosstable shows, in one dimension: those of ranked bots with ranked bots or house players."""
        across = self.ranked if self.is_square else len(self.opponents)
        return self.value[: self.ranked, :across][self.sessions[: self.ranked, :across] > 0]

    @cached_property
    def scale(self) -> float:
        """Distance from the middle at which the strongest colours start: 95% of results are nearer. 1 if it is 0."""
        distances = np.sort(np.abs(self.visible - self.middle))
        return float(distances[min(len(distances) - 1, int(0.95 * len(distances)))]) or 1.0 if len(distances) else 1.0

    @cached_property
    def clear(self) -> npt.NDArray[np.bool_]:
        """Flag for each result that shows whether it is significant. It is False if the interval is unknown.

        A result without any randomness is significant unless it is even.
        """
        is_significant: npt.NDArray[np.bool_] = np.abs(self.value - self.middle) > self.ci_half_width
        return is_significant


def make_crosstable(ranking: Standings, by_game: bool) -> Crosstable:
    """Return the results of a ranking.

    Args:
        ranking: The ranking.
        by_game: Whether values are points per game instead of per session.
    """
    bots = tuple(line.name for line in ranking.entrants)
    opponents = tuple(ranking.house) if ranking.scoring else bots
    matches = ranking.matches
    sessions, games = matches.integers[:, 2], matches.integers[:, 3]
    count = np.maximum(1, games if by_game else sessions)

    def spread(sides: Iterable[npt.NDArray[Any]]) -> Floats:
        """Return a number of each match as a matrix, given its values from the sides of x and y."""
        return ranking.spread(bots, opponents, *sides)

    table = Crosstable(
        bots,
        len(ranking.ranked),
        opponents,
        np.nan_to_num(spread(points / count for points in matches.amounts.T[[0, 2]])),
        spread(half_width * sessions / count for half_width in matches.ci_half_width_per_session),
        np.nan_to_num(spread((sessions, sessions))).astype(np.int64),
        np.nan_to_num(spread((games, games))).astype(np.int64),
        0.0,
    )
    # In a zero-sum game an even result is 0. In other games it is the mean result.
    is_even = ranking.scoring or not table.visible.size or ranking.is_zero_sum
    return table if is_even else replace(table, middle=float(table.visible.mean()))
