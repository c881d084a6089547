"""A bot's points over the sessions of a match, or over its games if a leg is one session."""

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

# Maximum number of parts of a match that are shown.
_MAX_PARTS = 16


@dataclass(frozen=True)
class Course:
    """Points of a bot by block, over all its matches or against one bot.

    Attributes:
        points: Points in each block, from the beginning of a match.
        sizes: Number of sessions, or games, in each block; 0 if there are fewer of them than blocks.
    """

    points: npt.NDArray[np.float64]
    sizes: npt.NDArray[np.float64]

    def means(self, max_parts: int = _MAX_PARTS) -> list[float]:
        """Return mean points per session, or game, in equal parts of the match from its beginning, or [] without any.

        The number of parts is the largest power of 2 for which no part is without sessions.

        Args:
            max_parts: Maximum number of parts, a power of 2; 16 by default.
        """
        count = min(max_parts, len(self.sizes))
        while count > 1:
            sizes = self.sizes.reshape(count, -1).sum(axis=1)
            if (sizes > 0).all():
                return list(map(float, self.points.reshape(count, -1).sum(axis=1) / sizes))
            count //= 2
        total = float(self.sizes.sum())
        return [float(self.points.sum()) / total] if total else []

    def quarters(self) -> tuple[float, float] | None:
        """Return mean points per session, or game, in the first and last quarter, or None if either has no sessions."""
        quarter = len(self.sizes) // 4
        parts = slice(None, quarter), slice(len(self.sizes) - quarter, None)
        if any(self.sizes[part].sum() == 0 for part in parts):
            return None
        early, late = (float(self.points[part].sum() / self.sizes[part].sum()) for part in parts)
        return early, late


@dataclass(frozen=True)
class Courses:
    """Points of each ranked entrant over its matches that count.

    Attributes:
        length: Number of sessions, or games, of the longest leg; 0 without legs.
        by_name: Course of each entrant by name. Entrants that have played none of these matches are omitted.
    """

    length: int
    by_name: Mapping[str, Course]


def read_courses(
    contest: Contest, storage: Storage, batches: Sequence[Batch], names: Sequence[str], match: int | None = None
) -> Courses:
    """Return the courses of entrants by session, or by game against house players.

    Matches of two count if both entrants are given.

    Args:
        contest: Contest of the records.
        storage: Storage of the records.
        batches: Batches to read.
        names: Names of the entrants. Without any no part is read.
        match: Number of the only match to count; None for all.

    Raises:
        RunError: A part is damaged or can't be opened.
        FileNotFoundError: A part is missing.
    """
    legs, blocks = by_block(contest, storage, batches if names else (), lambda points: points)
    lengths = legs.games if contest.scored.table == "games" else legs.sessions
    index = {name: number for number, name in enumerate(names)}
    numbers = np.array([legs.numbered(seat, index) for seat in range(legs.seats)])
    if legs.seats == 2:
        numbers[:, (numbers < 0).any(axis=0)] = -1
    if match is not None:
        numbers[:, legs.match != match] = -1
    sizes = block_sizes(lengths).reshape(-1, BLOCK_COUNT)
    points_of, sizes_of = np.zeros((len(names), BLOCK_COUNT)), np.zeros((len(names), BLOCK_COUNT))
    for number, points in zip(numbers, blocks):
        counts = number >= 0
        for block in range(BLOCK_COUNT):
            for sums, amounts in ((points_of, points), (sizes_of, sizes)):
                sums[:, block] += np.bincount(number[counts], amounts[counts, block], len(names))
    courses = {name: Course(*both) for name, *both in zip(names, points_of, sizes_of) if both[1].any()}
    return Courses(int(lengths.max(initial=0)), courses)


@dataclass(frozen=True)
class Worst:
    """A bot's match with the fewest points.

    Attributes:
        opponent: Name of the other bot, or of the house player.
        points_per_session: Mean points of the bot per session.
        over: Unit of which the match is a sequence, session or game.
        stretches: Mean points, per session or game, in its first quarter and its last one, each with its name. Empty if
            a quarter has no sessions, or games.
    """

    opponent: str
    points_per_session: float
    over: str
    stretches: Sequence[tuple[str, float]]


def worst_match(contest: Contest, results: Results, bot: str) -> Worst | None:
    """Return the match of two in which a bot has the fewest points per session, the first of equals.

    Returns:
        The match; None if the bot has played none, or scores are means per session.

    Raises:
        InputError: Standings need rules that aren't installed.
        RunError: The records are damaged or can't be read, or this machine can't load the rules.
        FileNotFoundError: A part is missing.
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
    course = read_courses(contest, open_storage(results.location), batches, both, worst.match).by_name.get(bot)
    names = ("the first quarter of the match", "the last quarter")
    stretches = list(zip(names, (course and course.quarters()) or ()))
    return Worst(worst.y, worst.points_per_session, "game" if contest.house else "session", stretches)
