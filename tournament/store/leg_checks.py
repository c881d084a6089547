"""Whether legs are some that anyone can have played: a results folder may come from a stranger."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tournament.names import valid_name
from tournament.store.leg_result import (
    MOST_AMOUNT,
    MOST_COUNT,
    MOST_MATCH,
    MOST_NUMBER,
    MOST_SQUARE,
    SEATS_THAT_END_A_LEG,
)
from tournament.store.legs import Legs

_MOST_SHARED = 1e3 * MOST_SQUARE  # legs that share their deals have equal parts of larger variances
# Bounds of a seat's sums, in the order of LegSums.
_MOST_SUMS = [MOST_AMOUNT, _MOST_SHARED, MOST_AMOUNT, _MOST_SHARED, _MOST_SHARED, _MOST_SHARED]
_LEAST_SUMS = [-MOST_AMOUNT, 0.0, -MOST_AMOUNT, 0.0, 0.0, -_MOST_SHARED]


def check_legs(legs: Legs) -> None:
    """Raises ValueError for legs that no one can have played."""
    if not all(map(valid_name, legs.names)):
        raise ValueError("no bot's name")
    _check(legs.sums.T, _LEAST_SUMS, _MOST_SUMS)
    _check(legs.whole.T, [0] * 4, [MOST_MATCH - 1, MOST_NUMBER, MOST_NUMBER, MOST_COUNT])
    _check(legs.used, 0.0, MOST_AMOUNT)


def check_places(legs: Legs) -> None:
    """Raise ValueError for legs of players, or with faults, that aren't among those of all legs."""
    players, house, more = legs.players, legs.house, legs.more
    if not (
        (players.min() >= 0 and players.max() < len(legs.names))
        and (house.min() >= -1 and house.max() < len(legs.names))
        and (more.min() >= 0 and more.max() < len(legs.rests))
    ):
        raise ValueError("out of bounds")


def _check(amounts: npt.NDArray[Any], least: float | list[float], most: float | list[float]) -> None:
    """Raises ValueError for an amount out of bounds, or none at all; lists of bounds are by the first index."""
    rows = amounts.reshape(len(least), -1) if isinstance(least, list) else amounts.reshape(1, -1)
    # NaN is the least and the most.
    if amounts.size and not ((rows.min(axis=1) >= least).all() and (rows.max(axis=1) <= most).all()):
        raise ValueError("out of bounds")


def check_rests(legs: Legs) -> None:
    """Raise ValueError for faults that no leg has."""
    for rest in legs.rests:
        seats = {*rest.out, *(fault.seat for fault in rest.faults)}
        counts = rest.faults_left_out
        if (
            (seats and max(seats) >= legs.seats)
            or len(counts) not in (0, legs.seats)
            or min(counts, default=0) < 0
            or (len(rest.out) > 1 and legs.seats <= SEATS_THAT_END_A_LEG)
            or sorted({*rest.out}) != [*rest.out]
        ):
            raise ValueError("it has faults of other legs")
