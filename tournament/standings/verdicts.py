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

from tournament.standings.errors import Differences
from tournament.standings.places import nearest_behind, rank_bounds, with_implied
from tournament.standings.stopping import FEWEST_REPLICAS, apart, looks, out_of_reach, within
from tournament.store.ledger import Until

Verdict = Literal["settled", "tied", "close", "open"]


def looks_of(until: Until) -> tuple[int, ...]:
    """The numbers of replicas at which a run judges."""
    return looks(max(until.first_replicas, FEWEST_REPLICAS), until.most_replicas)


@dataclass(frozen=True)
class SureOrder:
    """Who is surely ahead of whom, by row and column in the order of scores, and which pairs are surely a tie.

    With a chance of `confidence` all of it is right. What follows from it counts as well. `close` are those whom more
    replicas would hardly tell from the next one.
    """

    told_ahead: npt.NDArray[np.bool_]
    confidence: float
    tied: npt.NDArray[np.bool_] | None = None
    close: Sequence[bool] = ()

    @cached_property
    def ahead(self) -> npt.NDArray[np.bool_]:
        return with_implied(self.told_ahead)

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        """The first and the last possible rank of each."""
        return rank_bounds(self.ahead)

    @cached_property
    def nearest_behind(self) -> list[list[int]]:
        return nearest_behind(self.ahead)

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """Of each and the next one: settled where no rank may be that of either."""
        nothing = [False] * len(self.bounds)
        tied = nothing if self.tied is None else np.diagonal(self.tied, 1).tolist()
        return [
            "settled" if high < low else "tied" if tie else "close" if close else "open"
            for ((_, high), (low, _)), tie, close in zip(itertools.pairwise(self.bounds), tied, self.close or nothing)
        ]


def settled_order(looks: Sequence[Differences], until: Until, bots: int) -> SureOrder:
    """Return what a run until the order is settled knows of so many bots, by their differences at its looks so far."""
    counts, error_rate = looks_of(until), 1 - until.confidence
    nothing = np.zeros((bots, bots), bool)
    if until.tie is not None:
        ahead, tied = within(looks, counts, error_rate, until.tie) if looks else (nothing, nothing)
        return SureOrder(ahead, until.confidence, tied)
    if not looks:
        return SureOrder(nothing, until.confidence)
    last, count = looks[-1], counts[len(looks) - 1]
    close = [
        out_of_reach(mean, math.sqrt(variance), freedom, count, counts, error_rate)
        for mean, variance, freedom in zip(
            *(np.diagonal(of, 1).tolist() for of in (last.means, last.variances, last.freedom))
        )
    ]
    return SureOrder(apart(looks, counts, error_rate), until.confidence, close=close)


def next_count(verdicts: Sequence[Verdict], played: int, counts: tuple[int, ...]) -> int:
    """Return how many replicas of all matches there are to be after the next round; those played if none follows."""
    more = [count for count in counts if count > played]
    return more[0] if more and "open" in verdicts else played
