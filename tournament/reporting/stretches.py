"""How a bot's points change over the sessions of a match.

The ledger has each leg's points by block of sessions (of games, where a leg is one session), so no game is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.kernel.game_core import BLOCK_COUNT
from tournament.standings.estimates import block_sizes
from tournament.standings.student import quantile
from tournament.store.legs import Legs

_MOST = 16  # stretches shown
_CLEAR = 0.975


@dataclass(frozen=True)
class Change:
    """Points a session in the first quarter of a match and in the last, and the standard error of their difference."""

    early: float
    late: float
    stderr: float | None
    freedom: int = 0

    @property
    def difference(self) -> float:
        return self.late - self.early

    @property
    def is_clear(self) -> bool:
        """Whether the difference is more than luck, by a two-sided test at 5%."""
        if not self.stderr:
            return False
        return abs(self.difference) > quantile(_CLEAR, self.freedom) * self.stderr


@dataclass(frozen=True)
class Course:
    """A bot's points by block, and the sessions (or games) in each block: of all its matches, or against one bot."""

    points: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.float64]

    def means(self, most: int = _MOST) -> list[float]:
        """Points a session in equal stretches of the match: a power of 2, at most `most`, none without sessions."""
        count = min(most, len(self.sizes))
        while count > 1:
            sizes = self.sizes.reshape(count, -1).sum(axis=1)
            if (sizes > 0).all():
                return list(map(float, self.points.reshape(count, -1).sum(axis=1) / sizes))
            count //= 2
        total = float(self.sizes.sum())
        return [float(self.points.sum()) / total] if total else []

    def change(self) -> Change | None:
        """From the first quarter to the last, None if there are too few sessions."""
        quarter = len(self.sizes) // 4
        sizes = [self.sizes[:quarter], self.sizes[-quarter:]]
        if any(part.sum() == 0 for part in sizes):
            return None
        points = [self.points[:quarter], self.points[-quarter:]]
        early, late = (float(p.sum() / s.sum()) for p, s in zip(points, sizes))
        blocks = [(p[s > 0] / s[s > 0]) for p, s in zip(points, sizes)]
        freedom = sum(map(len, blocks)) - 2
        if min(map(len, blocks)) < 4:
            return Change(early, late, None)
        error = math.sqrt(sum(float(block.var(ddof=1)) / len(block) for block in blocks))
        return Change(early, late, error, freedom)


@dataclass(frozen=True)
class Courses:
    """The course of each ranked entrant over its matches that count, and against each opponent.

    `length` is the number of sessions, or games, of the longest leg.
    """

    length: int
    whole: Mapping[str, Course]
    against: Mapping[tuple[str, str], Course]


def courses_of(legs: Legs, fit: Sequence[str], house: Sequence[str]) -> Courses:
    """The courses of the `fit` entrants. Against house players blocks are of games, else of sessions."""
    counts = set(fit)
    others = set(house) or counts
    lengths = legs.games if house else legs.sessions
    sizes = block_sizes(lengths, BLOCK_COUNT)
    of_x, of_y = legs.of_seat(0).blocks, legs.of_seat(1).blocks
    sums: dict[tuple[str, str], list[npt.NDArray[np.float64]]] = {}
    for place, (x, y) in enumerate(zip(legs.x, legs.y)):
        if x not in counts or y not in others:
            continue
        for pair, points in ((x, y), of_x[place]), ((y, x), of_y[place]):
            if pair[0] in counts:
                known = sums.setdefault(pair, [np.zeros(BLOCK_COUNT), np.zeros(BLOCK_COUNT)])
                known[0] += points
                known[1] += sizes[place]
    against = {pair: Course(*both) for pair, both in sums.items()}
    whole: dict[str, Course] = {}
    for (name, _), course in against.items():
        so_far = whole.get(name)
        whole[name] = Course(so_far.points + course.points, so_far.sizes + course.sizes) if so_far else course
    return Courses(int(lengths.max(initial=0)), whole, against)
