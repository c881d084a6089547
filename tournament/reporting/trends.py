"""How a bot's points change over the sessions of a match, or over its games where a leg is one session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engine.kernel.blocks import block_sizes
from engine.kernel.game_core import BLOCK_COUNT
from tournament.contests.contest import Contest
from tournament.standings.by_block import by_block
from tournament.store.field import Batch
from tournament.store.storage import Storage

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
    """Return the courses of the `fit` entrants over the matches of these batches, or over one match, by session;
    against house players by game. Raises as `by_block`."""
    legs, blocks = by_block(contest, storage, batches if fit else (), lambda points: points)
    lengths = legs.games if contest.scored.table == "games" else legs.sessions
    number = legs.numbered(0, {name: place for place, name in enumerate(fit)})
    other = number if contest.house else legs.numbered(1, {name: place for place, name in enumerate(fit)})
    among = np.flatnonzero((number >= 0) & (other >= 0) & (match is None or legs.match == match))
    legs, lengths, blocks = legs.chosen(among), lengths[among], blocks[:, among]
    starts = legs.matches()[:, 0]
    sizes = block_sizes(lengths).reshape(-1, BLOCK_COUNT)
    if len(starts) < len(legs):
        sizes, blocks = np.add.reduceat(sizes, starts), np.add.reduceat(blocks, starts, axis=1)
    points_of, sizes_of = np.zeros((len(fit), BLOCK_COUNT)), np.zeros((len(fit), BLOCK_COUNT))
    for side, places in enumerate((number, other) if not contest.house else (number,)):
        np.add.at(points_of, places[among][starts], blocks[side])
        np.add.at(sizes_of, places[among][starts], sizes)
    whole = {name: Course(*both) for name, *both in zip(fit, points_of, sizes_of) if both[1].any()}
    return Courses(int(lengths.max(initial=0)), whole)
