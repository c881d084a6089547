"""What is sure of the order of a field. All that a reader is told of it, places and neighbours alike, is derived here.

Of a run until the order is settled it is what the intervals of all its looks say together; else what one look at all
that was played says.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from tournament.arrays import Floats
from tournament.standings.rank_bounds import (
    ERROR_RATE,
    loosened,
    nearest_behind,
    rank_bounds,
    surely_ahead,
    with_implied,
)
from tournament.standings.standard_errors import Differences, ScoreErrors
from tournament.standings.stopping import FEWEST_REPLICAS, apart, is_futile, looks, within
from tournament.standings.student_t import quantiles
from tournament.store.field import Until

MOST_PAIRED = 2000  # bots whose pairs are tested one by one: a matrix of pairs takes 32 MB, of 10,000 bots 800 MB
Verdict = Literal["settled", "tied", "too_close", "open"]


def looks_of(until: Until) -> tuple[int, ...]:
    """The numbers of replicas at which a run judges."""
    return looks(max(until.first_replicas, FEWEST_REPLICAS), until.max_replicas)


@dataclass(frozen=True)
class SettledOrder:
    """Who is surely ahead of whom, by row and column in the order of scores, and which pairs are surely a tie.

    With a chance of `confidence` all of it is right. What follows from it counts as well. `close` are those whom more
    replicas would hardly tell from the next one.
    """

    tested_ahead: npt.NDArray[np.bool_]
    confidence: float
    tied: npt.NDArray[np.bool_] | None = None
    close: Sequence[bool] = ()
    unknown: npt.NDArray[np.bool_] | None = None  # bots of whose scores nothing is known

    @cached_property
    def ahead(self) -> npt.NDArray[np.bool_]:
        return with_implied(self.tested_ahead)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """The first and the last possible rank of each."""
        return rank_bounds(self.ahead, self.unknown)

    @cached_property
    def nearest_behind(self) -> list[list[int]]:
        return nearest_behind(self.ahead)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Of each and the next one: settled where no rank may be that of either."""
        nothing = [False] * len(self.bounds)
        tied = nothing if self.tied is None else np.diagonal(self.tied, 1).tolist()
        return [
            "settled" if high < low else "tied" if tie else "too_close" if close else "open"
            for ((_, high), (low, _)), tie, close in zip(itertools.pairwise(self.bounds), tied, self.close or nothing)
        ]


@dataclass(frozen=True)
class SureIntervals:
    """The same of a field so large that pairs aren't tested one by one: intervals that hold all scores at the same time
    tell who is surely ahead. `ci_half_width` is infinite where nothing is known."""

    scores: Floats
    ci_half_width: Floats
    confidence: float

    @property
    def unknown(self) -> npt.NDArray[np.bool_]:
        """Bots of whose scores nothing is known."""
        return ~np.isfinite(self.ci_half_width)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """The first and the last possible rank of each."""
        low, high = self.scores - self.ci_half_width, self.scores + self.ci_half_width
        first = 1 + len(low) - np.searchsorted(np.sort(low), high, side="right")
        last = len(low) - np.searchsorted(np.sort(high), low, side="left")
        return loosened(first, last, self.unknown)

    @cached_property
    def nearest_behind(self) -> list[list[int]]:
        """No one: of this many bots the lists would be longer than all else."""
        return [[] for _ in self.scores]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Of each and the next one: settled where no rank may be that of either."""
        return ["settled" if high < low else "open" for (_, high), (low, _) in itertools.pairwise(self.bounds)]


def order_of(measured: ScoreErrors) -> SettledOrder | SureIntervals:
    """Return what one look at all that was played says of the order of these scores."""
    if len(measured.scores) <= MOST_PAIRED:
        unknown = ~np.isfinite(measured.stderr)
        return SettledOrder(surely_ahead(measured.differences), 1 - ERROR_RATE, unknown=unknown)
    bots = len(measured.scores)
    known = np.isfinite(measured.stderr) & measured.tells
    wide = quantiles(1 - ERROR_RATE / 2 / bots, np.where(known, measured.freedom, 0.0))
    with np.errstate(invalid="ignore"):
        half_width = np.where(known, wide * np.nan_to_num(measured.stderr), np.inf)
    return SureIntervals(measured.scores, half_width, 1 - ERROR_RATE)


def settled_order(looks: Sequence[Differences], until: Until, bots: int) -> SettledOrder:
    """Return what a run until the order is settled knows of this many bots, by their differences at its looks so
    far."""
    counts, error_rate = looks_of(until), 1 - until.confidence
    nothing = np.zeros((bots, bots), bool)
    if until.tie_margin is not None:
        ahead, tied = within(looks, counts, error_rate, until.tie_margin) if looks else (nothing, nothing)
        return SettledOrder(ahead, until.confidence, tied)
    if not looks:
        return SettledOrder(nothing, until.confidence)
    last, count = looks[-1], counts[len(looks) - 1]
    close = [
        is_futile(mean, math.sqrt(variance), freedom, count, counts, error_rate)
        for mean, variance, freedom in zip(
            *(np.diagonal(of, 1).tolist() for of in (last.means, last.variances, last.freedom))
        )
    ]
    return SettledOrder(apart(looks, counts, error_rate), until.confidence, close=close)


def next_count(verdicts: Sequence[Verdict], played: int, counts: tuple[int, ...]) -> int:
    """Return how many replicas of all matches there are to be after the next round; those played if none follows."""
    more = [count for count in counts if count > played]
    return more[0] if more and "open" in verdicts else played
