"""Other ratings from the same crosstable.

They change no score and no place. `run_off`: the last one leaves, and the others are ranked by what they won of each
other, until one is left, as in the Annual Computer Poker Competition's bankroll instant run-off. `nash`: each bot
against the mix that none can beat (D. Balduzzi, K. Tuyls, J. Pérolat and T. Graepel, "Re-evaluating Evaluation", 2018).
`bradley_terry`: by won and lost sessions alone (R. Bradley and M. Terry, "Rank Analysis of Incomplete Block
Designs", 1952).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats
from tournament.errors import BadInput
from tournament.standings.bradley_terry import Wins, fitted
from tournament.standings.equilibrium import maximum_entropy_equilibrium
from tournament.standings.errors import on_grid
from tournament.standings.standings import Standings
from tournament.standings.student import reach

_LITTLE = 1e-6  # of the largest payoff, or of a mix: less counts as 0
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
    reach: float | None
    more: Mapping[str, float | int]


def run_off(standings: Standings) -> list[Rated]:
    """The rating is what a bot won a session, the mean over the opponents left when it left; of equals the lower one in
    the standings leaves. `left` counts the bots still there."""
    names, points, met = _crosstable(standings)
    remaining = list(range(len(names)))
    totals, counts = points.sum(axis=1), met.sum(axis=1)
    found = []
    while remaining:
        # Without opponents the mean is 0, not what rounding leaves of the sum.
        means = [totals[index] / counts[index] if counts[index] else 0.0 for index in remaining]
        means = on_grid(means, standings.rounding).tolist()
        worst = len(means) - 1 - int(np.argmin(means[::-1]))
        last = remaining.pop(worst)
        left = len(remaining) + 1
        found.append(Rated(left, names[last], means[worst], None, None, {"left": left}))
        totals = totals - points[:, last]
        counts = counts - met[:, last]
    return found[::-1]


def nash(standings: Standings) -> list[Rated]:
    """The rating is what a bot wins a session against the mix that nobody can beat, 0 at most; `share` is its part in
    the mix. The mix, too, is of these results alone, so no error is told.

    Raises BadInput where games aren't zero-sum, or bots haven't met.
    """
    if not standings.is_zero_sum:
        raise BadInput("nash takes a zero-sum game: here both may win; --rating runoff takes any")
    names, points, met = _crosstable(standings)
    for index, name in enumerate(names):
        for other in np.flatnonzero(~met[index]).tolist():
            if other != index:
                raise BadInput(
                    f"nash takes every pair: {name} and {names[other]} haven't met yet; run to the end first"
                )
    mix = maximum_entropy_equilibrium(points)
    little = _LITTLE * float(np.abs(points).max(initial=0.0))
    values = (points * mix).sum(axis=1)
    values[np.abs(values) <= little] = 0.0
    mix[mix < _LITTLE] = 0.0
    values = on_grid(values, standings.rounding)
    order = sorted(range(len(names)), key=lambda index: (-values[index], -mix[index], index))
    return [
        Rated(
            1 + int((values > values[index]).sum()),
            names[index],
            float(values[index]),
            None,
            None,
            {"share": float(mix[index])},
        )
        for index in order
    ]


def bradley_terry(standings: Standings, wins: Wins) -> list[Rated]:
    """The rating is in Elo's points about the field's mean, 400 of which are odds of ten to one for a won session;
    a drawn one counts as half."""
    names = _rated_names(standings)
    ratings, errors, freedom = fitted(names, wins)
    ratings = on_grid(ratings, _STEPS)
    totals = wins.totals(names)
    order = sorted(range(len(names)), key=lambda index: (-ratings[index], index))
    return [
        Rated(
            1 + int((ratings > ratings[index]).sum()),
            names[index],
            float(ratings[index]),
            errors[index],
            None if (error := errors[index]) is None else reach(error, freedom),
            dict(zip(("won", "drawn", "lost"), totals[index])),
        )
        for index in order
    ]


def _rated_names(standings: Standings) -> list[str]:
    """The ranked bots that have met others, in the order of the leaderboard."""
    return [line.name for line in standings.ranked if line.matches]


def _crosstable(standings: Standings) -> tuple[list[str], Floats, npt.NDArray[np.bool_]]:
    """The names of those to be rated; then, of row against column, points a session, and whether they have met."""
    names = _rated_names(standings)
    sessions = np.maximum(1, standings.matches.whole[:, 2])
    points = standings.spread(names, names, *(standings.matches.amounts[:, side] / sessions for side in (0, 2)))
    return names, np.nan_to_num(points), ~np.isnan(points)


@dataclass(frozen=True)
class Look:
    """A kind of rating: its title, what its numbers mean, its further columns, and how ratings are shown."""

    title: str
    meaning: str
    columns: Sequence[tuple[str, str, Callable[[float], str]]]
    shown: Callable[[float], str]


LOOKS: Mapping[str, Look] = {
    "nash": Look(
        "Nash averaging",
        "points a session against the mix of bots that nobody beats: copies of a bot, and weak ones, change nothing",
        (("share", "in the mix", lambda value: f"{100 * value:.1f}%" if value else ""),),
        lambda value: f"{value:+.3f}",
    ),
    "runoff": Look(
        "instant run-off",
        "points a session against those left when a bot left, the last one leaving each time: beating the weak counts"
        " for little",
        (("left", "bots left", lambda value: f"{value:.0f}"),),
        lambda value: f"{value:+.3f}",
    ),
    "bradley-terry": Look(
        "Bradley–Terry",
        "Elo points by won sessions, not by how much: 400 are odds of ten to one",
        tuple((name, name, lambda value: f"{value:,.0f}") for name in ("won", "drawn", "lost")),
        lambda value: f"{value:+.0f}",
    ),
}


def look_of(kind: str) -> Look:
    """The kind of rating of that name. Raises BadInput for an unknown one."""
    if kind not in LOOKS:
        raise BadInput(f"--rating {kind[:200]}: there are {', '.join(LOOKS)}")
    return LOOKS[kind]
