"""Selection of the recorded legs to replay."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.store.field import Batch
from tournament.store.legs import Legs

# Batches, each with the indices of its legs to replay, in order.
Selection = Sequence[tuple[Batch, npt.NDArray[np.intp]]]


def select_legs(
    batches: Sequence[Batch], missing: frozenset[str], count: int | None, legs_sharing_deals: int
) -> Selection:
    """Return random legs whose bots are all available, in the order of batches. Batches without such legs are omitted.

    In a batch their indices ascend. House players aren't checked.

    Other legs of a batch that share their deals are included, because their variances depend on each other. So there
    can be more than `count` legs. The choice can't be reproduced.

    Args:
        batches: Batches that count. The legs of each must be ordered by match and number.
        missing: Names of players that aren't available.
        count: Number of legs to draw; None for all.
        legs_sharing_deals: Number of consecutive legs of a match that share their deals.
    """
    playable = [_with_players(batch.legs, missing) for batch in batches]
    ends = np.cumsum([len(indices) for indices in playable])
    if count is not None and len(ends) and count < ends[-1]:
        sample = np.sort(np.array(random.SystemRandom().sample(range(int(ends[-1])), count), np.intp))
        starts = ends - [len(indices) for indices in playable]
        playable = [
            _with_their_deals(
                batch.legs, indices, sample[(sample >= start) & (sample < end)] - start, legs_sharing_deals
            )
            for batch, indices, start, end in zip(batches, playable, starts, ends)
        ]
    return [(batch, indices) for batch, indices in zip(batches, playable) if len(indices)]


def number_deals(legs: Legs, legs_sharing_deals: int) -> Ints:
    """Return a number for the deals of each leg of a batch, ascending from 1. Legs with the same deals share it.

    Args:
        legs: Legs of the batch, ordered by match and number.
        legs_sharing_deals: Number of consecutive legs of a match that share their deals.
    """
    deal = legs.number // legs_sharing_deals
    return np.cumsum((np.diff(legs.match, prepend=-1) != 0) | (np.diff(deal, prepend=-1) != 0))


def _with_their_deals(
    legs: Legs, indices: npt.NDArray[np.intp], sample: npt.NDArray[np.intp], legs_sharing_deals: int
) -> npt.NDArray[np.intp]:
    """Return those indices of legs whose deals are those of a sample, in order.

    Args:
        legs: Legs of a batch.
        indices: Indices of legs whose players are available.
        sample: Positions of the sampled legs among `indices`.
        legs_sharing_deals: Number of consecutive legs of a match that share their deals.
    """
    deals = number_deals(legs, legs_sharing_deals)[indices]
    return indices[np.isin(deals, deals[sample])]


def _with_players(legs: Legs, missing: frozenset[str]) -> npt.NDArray[np.intp]:
    """Return the indices of legs whose bots are all available, ascending. The house player isn't checked."""
    is_available = np.array([name not in missing for name in legs.names], bool)
    return np.flatnonzero(is_available[legs.players].all(axis=1)) if len(legs) else np.empty(0, np.intp)
