"""How a bot's points change over the sessions of a match, or over its games where a leg is one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_sizes
from engine.kernel.game_core import BLOCK_COUNT
from tournament.contests.contest import Contest
from tournament.records.results import Results
from tournament.standings.by_block import by_block
from tournament.store.field import Batch
from tournament.store.storage import Storage, open_storage

_MOST = 16  # stretches shown


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

    def quarters(self) -> tuple[float, float] | None:
        """Points a session in the first quarter and in the last, None if there are too few sessions."""
        quarter = len(self.sizes) // 4
        parts = slice(None, quarter), slice(len(self.sizes) - quarter, None)
        if any(self.sizes[part].sum() == 0 for part in parts):
            return None
        early, late = (float(self.points[part].sum() / self.sizes[part].sum()) for part in parts)
        return early, late


@dataclass(frozen=True)
class Courses:
    """The course of each ranked entrant over its matches that count.

    `length` is the number of sessions, or games, of the longest leg.
    """

    length: int
    whole: Mapping[str, Course]


def courses_of(
    contest: Contest, storage: Storage, batches: Sequence[Batch], fit: Sequence[str], match: int | None = None
) -> Courses:
    """Return the courses of the `fit` entrants over all matches, or one: by session, against house players by game.

    Matches of two count if both are fit. Raises as `by_block`.
    """
    legs, blocks = by_block(contest, storage, batches if fit else (), lambda points: points)
    lengths = legs.games if contest.scored.table == "games" else legs.sessions
    place = {name: number for number, name in enumerate(fit)}
    numbers = np.array([legs.numbered(seat, place) for seat in range(legs.seats)])
    if legs.seats == 2:
        numbers[:, (numbers < 0).any(axis=0)] = -1
    if match is not None:
        numbers[:, legs.match != match] = -1
    sizes = block_sizes(lengths).reshape(-1, BLOCK_COUNT)
    points_of, sizes_of = np.zeros((len(fit), BLOCK_COUNT)), np.zeros((len(fit), BLOCK_COUNT))
    for number, points in zip(numbers, blocks):
        counts = number >= 0
        for block in range(BLOCK_COUNT):
            for sums, amounts in ((points_of, points), (sizes_of, sizes)):
                sums[:, block] += np.bincount(number[counts], amounts[counts, block], len(fit))
    whole = {name: Course(*both) for name, *both in zip(fit, points_of, sizes_of) if both[1].any()}
    return Courses(int(lengths.max(initial=0)), whole)


@dataclass(frozen=True)
class Worst:
    """A bot's match with the fewest points.

    Attributes:
        opponent: The other bot, or the house player.
        points_per_session: The bot's mean points.
        over: What the match is a sequence of, session or game.
        stretches: The mean points in its first quarter and its last one; empty if the match is short.
    """

    opponent: str
    points_per_session: float
    over: str
    stretches: Sequence[tuple[str, float]]


def worst_match(contest: Contest, results: Results, bot: str) -> Worst | None:
    """Return the match of two in which a bot has the fewest points a session; None if it has played none.

    Raises RunError for damaged records, FileNotFoundError for missing ones.
    """
    ranking = results.ranking
    own = np.flatnonzero((ranking.matches.numbered({bot: 0}) == 0).any(axis=1)).tolist()
    sides = [one if one.x == bot else one.from_y() for one in map(ranking.matches.__getitem__, own)]
    met = [side for side in sides if side.sessions]
    if ranking.has_means or not met:
        return None
    worst = min(met, key=lambda side: side.points_per_session)
    batches = [batch for batch in results.batches if (batch.legs.match == worst.match).any()]
    both = [bot] if contest.house else [bot, worst.y]
    course = courses_of(contest, open_storage(results.location), batches, both, worst.match).whole.get(bot)
    names = ("the first quarter of the match", "the last quarter")
    stretches = list(zip(names, (course and course.quarters()) or ()))
    return Worst(worst.y, worst.points_per_session, "game" if contest.house else "session", stretches)
