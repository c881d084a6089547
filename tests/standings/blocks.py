"""Legs with their sums by block, as tests make them up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from engine.kernel.sums import SeatSums
from tournament.arrays import Floats
from tournament.store import leg_sums as columns
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import pair_keys


@dataclass(frozen=True)
class LegWithBlocks(LegResult):
    """A leg with the core's sums."""

    by_block: tuple[SeatSums, ...] = field(default=(), compare=False, repr=False)


def leg_sums(seats: Sequence[SeatSums], length: int, luck: Floats | None = None) -> tuple[LegSums, ...]:
    """Return the sums of each seat in one leg, with the first one's luck by block."""
    found = columns.compute_leg_sums(_totals([seats]), np.array([length]), None if luck is None else luck[np.newaxis])
    return _as_fields(found)[0]


def share_variances(legs: Sequence[LegWithBlocks], legs_of_deals: int) -> list[LegWithBlocks]:
    """Return the same legs, of which those that share deals have the variances of their sum."""
    sums, lengths = np.array([leg.sums for leg in legs]), np.array([leg.sessions for leg in legs])
    match, number = (np.array([getattr(leg, name) for leg in legs]) for name in ("match", "number"))
    deals = pair_keys(match, number // legs_of_deals)
    columns.share_variances(sums, _totals([leg.by_block for leg in legs]), lengths, None, deals, legs_of_deals)
    return [replace(leg, sums=own) for leg, own in zip(legs, _as_fields(sums))]


def _totals(legs: Sequence[Sequence[SeatSums]]) -> Floats:
    return np.array([[[seat.points, seat.squared_points, *seat.blocks] for seat in seats] for seats in legs])


def _as_fields(sums: Floats) -> list[tuple[LegSums, ...]]:
    return [tuple(LegSums(*own) for own in leg) for leg in sums.tolist()]
