"""Another rating from the same records: Elo points from won and lost sessions.

The model is that of R. Bradley and M. Terry, "Rank Analysis of Incomplete Block Designs", 1952. Scores and ranks don't
depend on it.
"""

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

# Grid of ratings in Elo points, coarser than the error of the fit.
_STEPS = 1e-6


@dataclass(frozen=True)
class Rated:
    """A bot's line in another rating. Bots with the same rank have equal ratings, and the next rank is left out.

    Attributes:
        rank: Rank by this rating, from 1.
        name: Name of the bot.
        rating: The rating, in the unit of its kind.
        stderr: Standard error of the rating; None if unknown.
        ci_half_width: Half-width of its 95% interval; None if unknown.
        more: Further values by name, for the columns of the kind. For Elo they are sessions won, drawn and lost.
    """

    rank: int
    name: str
    rating: float
    stderr: float | None
    ci_half_width: float | None
    more: Mapping[str, float | int]


def elo(standings: Standings, wins: Wins) -> list[Rated]:
    """Return the rating in Elo points about the field's mean, the best bot first.

    A difference of 400 points is odds of ten to one for a won session. A drawn session counts as half. Bots without a
    rank or matches are omitted. Bots with equal ratings are in the order of the leaderboard.
    """
    names = _rated_names(standings)
    ratings, errors, freedom = fitted(names, wins)
    ratings = on_grid(ratings, _STEPS)
    half_widths = errors * np.where(freedom > 0, quantiles(0.975, freedom), np.nan)
    totals = wins.totals(names)
    order = sorted(range(len(names)), key=lambda index: (-ratings[index], index))
    return [
        Rated(
            1 + int((ratings > ratings[index]).sum()),
            names[index],
            float(ratings[index]),
            None if math.isnan(error := float(errors[index])) else error,
            None if math.isnan(half_width := float(half_widths[index])) else half_width,
            dict(zip(("won", "drawn", "lost"), totals[index])),
        )
        for index in order
    ]


def _rated_names(standings: Standings) -> list[str]:
    """Return the ranked bots that have met others, in the order of the leaderboard."""
    return [line.name for line in standings.ranked if line.matches]


@dataclass(frozen=True)
class RatingKind:
    """A kind of rating.

    Attributes:
        title: Title of the rating.
        meaning: Meaning of its numbers.
        columns: Further columns from left to right: name of the value, title, and a function that formats the value.
        format_rating: Called with a rating or a half-width; returns it as text, with its sign.
    """

    title: str
    meaning: str
    columns: Sequence[tuple[str, str, Callable[[float], str]]]
    format_rating: Callable[[float], str]


RATING_KINDS: Mapping[str, RatingKind] = {
    "elo": RatingKind(
        "Elo",
        "Elo points by won sessions, not by how much: 400 are odds of ten to one",
        tuple((name, name, lambda value: f"{value:,.0f}") for name in ("won", "drawn", "lost")),
        lambda value: f"{value:+.0f}",
    )
}


def rating_kind(kind: str) -> RatingKind:
    """Return the kind of rating with this name, which is a key of `RATING_KINDS`.

    Raises:
        InputError: There is no such kind.
    """
    if kind not in RATING_KINDS:
        raise InputError(f"--rating {kind[:200]}: expected one of: {', '.join(RATING_KINDS)}")
    return RATING_KINDS[kind]
