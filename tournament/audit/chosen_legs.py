"""Which recorded legs are played again."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tournament.arrays import Whole
from tournament.store.field import Batch
from tournament.store.legs import Legs

Chosen = Sequence[tuple[Batch, npt.NDArray[np.intp]]]  # legs by their places in their batch, in order


def chosen_legs(batches: Sequence[Batch], missing: frozenset[str], count: int | None, legs_of_deals: int) -> Chosen:
    """This many random legs, or all there are, whose players are here.

    Others of a batch that share their deals come along, because their variances depend on each other.
    """
    here = [_with_players(batch.legs, missing) for batch in batches]
    ends = np.cumsum([len(places) for places in here])
    if count is not None and len(ends) and count < ends[-1]:
        sample = np.sort(np.array(random.SystemRandom().sample(range(int(ends[-1])), count), np.intp))
        starts = ends - [len(places) for places in here]
        here = [
            _with_their_deals(batch.legs, places, sample[(sample >= start) & (sample < end)] - start, legs_of_deals)
            for batch, places, start, end in zip(batches, here, starts, ends)
        ]
    return [(batch, places) for batch, places in zip(batches, here) if len(places)]


def deals_of(legs: Legs, legs_of_deals: int) -> Whole:
    """Return for each leg of a batch a number of its deals, which ascends."""
    deal = legs.number // legs_of_deals
    return np.cumsum((np.diff(legs.match, prepend=-1) != 0) | (np.diff(deal, prepend=-1) != 0))


def _with_their_deals(
    legs: Legs, places: npt.NDArray[np.intp], some: npt.NDArray[np.intp], legs_of_deals: int
) -> npt.NDArray[np.intp]:
    """Return those of the places of legs whose deals are those of some of them."""
    deals = deals_of(legs, legs_of_deals)[places]
    return places[np.isin(deals, deals[some])]


def _with_players(legs: Legs, missing: frozenset[str]) -> npt.NDArray[np.intp]:
    is_here = np.array([name not in missing for name in legs.names], bool)
    return np.flatnonzero(is_here[legs.players].all(axis=1)) if len(legs) else np.empty(0, np.intp)
