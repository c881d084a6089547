"""Another rating from the same records: Elo's points by won and lost sessions alone (R. Bradley and M. Terry, "Rank
Analysis of Incomplete Block Designs", 1952). It changes no score and no rank."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tournament.errors import InputError
from tournament.standings.bradley_terry import Wins, fitted
from tournament.standings.standard_errors import on_grid
from tournament.standings.standings import Standings
from tournament.standings.student_t import quantiles

_STEPS = 1e-6  # of Elo points: what is left when strengths are found is below


@dataclass(frozen=True)
class Rated:
    """A bot's line: `rating` in the unit of its kind, its standard error and how far its interval of 95% goes to either
    side, where these can be told, and `more` values.

    Bots with the same rank are equal by this rating.
    """

    rank: int
    name: str
    rating: float
    stderr: float | None
    ci_half_width: float | None
    more: Mapping[str, float | int]


def elo(standings: Standings, wins: Wins) -> list[Rated]:
    """The rating is in Elo's points about the field's mean, 400 of which are odds of ten to one for a won session;
    a drawn one counts as half."""
    names = _rated_names(standings)
    ratings, errors, freedom = fitted(names, wins)
    ratings = on_grid(ratings, _STEPS)
    reaches = errors * np.where(freedom > 0, quantiles(0.975, freedom), np.nan)
    totals = wins.totals(names)
    order = sorted(range(len(names)), key=lambda index: (-ratings[index], index))
    return [
        Rated(
            1 + int((ratings > ratings[index]).sum()),
            names[index],
            float(ratings[index]),
            None if math.isnan(error := float(errors[index])) else error,
            None if math.isnan(reach := float(reaches[index])) else reach,
            dict(zip(("won", "drawn", "lost"), totals[index])),
        )
        for index in order
    ]


def _rated_names(standings: Standings) -> list[str]:
    """The ranked bots that have met others, in the order of the leaderboard."""
    return [line.name for line in standings.ranked if line.matches]


@dataclass(frozen=True)
class RatingKind:
    """A kind of rating: its title, what its numbers mean, its further columns, and how ratings are shown."""

    title: str
    meaning: str
    columns: Sequence[tuple[str, str, Callable[[float], str]]]
    shown: Callable[[float], str]


RATING_KINDS: Mapping[str, RatingKind] = {
    "elo": RatingKind(
        "Elo",
        "Elo points by won sessions, not by how much: 400 are odds of ten to one",
        tuple((name, name, lambda value: f"{value:,.0f}") for name in ("won", "drawn", "lost")),
        lambda value: f"{value:+.0f}",
    ),
}


def rating_kind(kind: str) -> RatingKind:
    """The kind of rating of that name. Raises InputError for an unknown one."""
    if kind not in RATING_KINDS:
        raise InputError(f"--rating {kind[:200]}: expected one of: {', '.join(RATING_KINDS)}")
    return RATING_KINDS[kind]
