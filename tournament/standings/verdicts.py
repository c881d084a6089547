"""What is sure of the order of a field. All that a reader is told of it, places and neighbours alike, is derived here.

Of a run until the order is settled it is what the intervals of all its looks say together; else what one look at all
that was played says.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

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


def settled_order(replicas: Sequence[Sequence[float]], until: Until) -> SureOrder:
    """What a run until the order is settled knows, from the scores of each in its replicas, the same deals at the same
    place."""
    counts, error_rate = looks_of(until), 1 - until.confidence
    if until.tie is None:
        close = [out_of_reach(*pair, counts, error_rate) for pair in itertools.pairwise(replicas)]
        return SureOrder(apart(replicas, counts, error_rate), until.confidence, close=close)
    ahead, tied = within(replicas, counts, error_rate, until.tie)
    return SureOrder(ahead, until.confidence, tied)


def wanted_replicas(
    names: Sequence[str], verdicts: Sequence[Verdict], played: Mapping[str, int], counts: tuple[int, ...]
) -> dict[str, int]:
    """How many replicas each entrant is to have after the next round, by how many it has; only those with more.

    Names come in the order of scores, with a verdict on each and the next one.
    """
    wanted: dict[str, int] = {}
    for pair, verdict in zip(itertools.pairwise(names), verdicts):
        if verdict == "open":
            fewer = min(played[name] for name in pair)
            next_count = next((count for count in counts if count > fewer), fewer)
            wanted |= {name: max(next_count, wanted.get(name, 0)) for name in pair if next_count > played[name]}
    return wanted
