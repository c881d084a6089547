"""A population of the bots of a repeated game: how the shares of its kinds change, as areas of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tournament.contests.contest import Contest
from tournament.errors import BadInput
from tournament.standings.ecology import moran, replicator_course
from tournament.standings.ratings import population
from tournament.standings.standings import Standings

_MOST_KINDS = 100
_COLOURS = 8  # of the page, the last for all other kinds


@dataclass(frozen=True)
class Kind:
    """A kind of bots, its shares at the end by either process, and the number of its colour.

    `area`: its part of the picture, points of a polygon in percent.
    """

    name: str
    replicator: float
    moran: float
    colour: int
    area: str


@dataclass(frozen=True)
class Population:
    """The kinds, those of the largest share first; without kinds `problem` says why."""

    kinds: Sequence[Kind] = ()
    problem: str = ""


def population_of(contest: Contest, standings: Standings) -> Population | None:
    """Of a repeated game; None for others, and for fields too large for a picture."""
    portrait = contest.display.portrait
    if portrait is None or portrait.turns is None or len(standings.entrants) > _MOST_KINDS:
        return None
    try:
        names, payoffs = population(standings, "a population")
    except BadInput as problem:
        return Population(problem=str(problem))
    if len(names) < 2:
        return None
    times, course = replicator_course(payoffs)
    by_moran = moran(payoffs)
    order = np.argsort(-course[-1] - course.max(axis=0) / 1000, kind="stable").tolist()
    # Times far apart at the end, as they are taken.
    across = 100 * np.log1p(times) / max(1e-9, float(np.log1p(times[-1])))
    below = np.zeros(len(times))
    kinds = []
    for place, index in enumerate(order):
        above = below + 100 * course[:, index]
        edge = [*zip(across, 100 - below), *zip(across[::-1], 100 - above[::-1])]
        area = " ".join(f"{x:.2f},{y:.2f}" for x, y in edge)
        colour = min(place, _COLOURS - 1)
        kinds.append(Kind(names[index], float(course[-1, index]), float(by_moran[index]), colour, area))
        below = above
    return Population(kinds)
