"""Who won how much of whom, as matrices: of a thousand bots they are a million numbers."""

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
    """Results by bot and opponent: points a session or a game, half their interval of 95%, sessions and
    games.

    `bots` are all entrants in the standings' order, the `ranked` ones first; `opponents` the house players, or the bots
    again. What was not played has no sessions; a reach of NaN isn't known.
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
        """Whether bots play each other."""
        return self.bots == self.opponents

    @property
    def shown(self) -> Floats:
        """The results that a crosstable shows: those of ranked bots, against ranked ones where bots play each other."""
        across = self.ranked if self.is_square else len(self.opponents)
        return self.value[: self.ranked, :across][self.sessions[: self.ranked, :across] > 0]

    @cached_property
    def scale(self) -> float:
        """How far from the middle the strongest colours begin."""
        off = np.sort(np.abs(self.shown - self.middle))
        return float(off[min(len(off) - 1, int(0.95 * len(off)))]) or 1.0 if len(off) else 1.0

    @cached_property
    def clear(self) -> npt.NDArray[np.bool_]:
        """Whether a result is more than luck. It is where the reach is 0: nothing was left to chance."""
        found: npt.NDArray[np.bool_] = np.abs(self.value - self.middle) > self.ci_half_width
        return found


def crosstable_of(ranking: Standings, by_game: bool) -> Crosstable:
    """The results of a ranking, in points a game or a session. Against house players they are the entrants'."""
    bots = tuple(line.name for line in ranking.entrants)
    opponents = tuple(ranking.house) if ranking.scoring else bots
    matches = ranking.matches
    sessions, games = matches.whole[:, 2], matches.whole[:, 3]
    count = np.maximum(1, games if by_game else sessions)

    def spread(of_sides: Iterable[npt.NDArray[Any]]) -> Floats:
        return ranking.spread(bots, opponents, *of_sides)

    table = Crosstable(
        bots,
        len(ranking.ranked),
        opponents,
        np.nan_to_num(spread(points / count for points in matches.amounts.T[[0, 2]])),
        spread(reach * sessions / count for reach in matches.ci_half_width_per_session),
        np.nan_to_num(spread((sessions, sessions))).astype(np.int64),
        np.nan_to_num(spread((games, games))).astype(np.int64),
        0.0,
    )
    # In a zero-sum game 0 is even; elsewhere the mean result is.
    is_even = ranking.scoring or not table.shown.size or ranking.is_zero_sum
    return table if is_even else replace(table, middle=float(table.shown.mean()))
