"""Checks that recorded legs are possible. An untrusted person might have made a results folder."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from tournament.names import valid_name
from tournament.store.leg_result import (
    MATCH_BOUND,
    MAX_AMOUNT,
    MAX_COUNT,
    MAX_NUMBER,
    MAX_SQUARE,
    SEATS_THAT_END_A_LEG,
)
from tournament.store.legs import Legs

# Legs that share their deals each have an equal part of a larger variance.
_MAX_SHARED = 1e3 * MAX_SQUARE
# Bounds of a seat's sums, in the order of the fields of LegSums.
_MAX_SUMS = [MAX_AMOUNT, _MAX_SHARED, MAX_AMOUNT, _MAX_SHARED, _MAX_SHARED, _MAX_SHARED]
_MIN_SUMS = [-MAX_AMOUNT, 0.0, -MAX_AMOUNT, 0.0, 0.0, -_MAX_SHARED]


def check_legs(legs: Legs) -> None:
    """Check that names are valid and amounts are within bounds.

    Raises:
        ValueError: A name is invalid, or an amount is out of bounds or NaN.
    """
    if not all(map(valid_name, legs.names)):
        raise ValueError("no bot's name")
    _check(legs.sums.T, _MIN_SUMS, _MAX_SUMS)
    _check(legs.counts.T, [0] * 4, [MATCH_BOUND - 1, MAX_NUMBER, MAX_NUMBER, MAX_COUNT])
    _check(legs.used, 0.0, MAX_AMOUNT)


def check_indices(legs: Legs) -> None:
    """Check that the indices of players and rare fields are within bounds.

    Raises:
        ValueError: An index is out of bounds.
    """
    players, house, more = legs.players, legs.house, legs.rare_index
    if not (
        (players.min() >= 0 and players.max() < len(legs.names))
        and (house.min() >= -1 and house.max() < len(legs.names))
        and (more.min() >= 0 and more.max() < len(legs.rare_fields))
    ):
        raise ValueError("out of bounds")


def _check(amounts: npt.NDArray[Any], minimum: float | list[float], maximum: float | list[float]) -> None:
    """Check amounts against bounds, which are lists if they depend on the first index.

    Raises:
        ValueError: An amount is out of bounds, or NaN.
    """
    rows = amounts.reshape(len(minimum), -1) if isinstance(minimum, list) else amounts.reshape(1, -1)
    # If there is a NaN, both the minimum and the maximum are NaN, so the comparison fails.
    if amounts.size and not ((rows.min(axis=1) >= minimum).all() and (rows.max(axis=1) <= maximum).all()):
        raise ValueError("out of bounds")


def check_rare_fields(legs: Legs) -> None:
    """Check that faults and disqualifications belong to seats of these legs.

    Raises:
        ValueError: A seat doesn't exist, seats aren't in ascending order, there isn't a count for each seat, a count is
            negative, or two seats ended a leg.
    """
    for rest in legs.rare_fields:
        seats = {*rest.disqualified_seats, *(fault.seat for fault in rest.faults)}
        counts = rest.further_faults
        if (
            (seats and max(seats) >= legs.seats)
            or len(counts) not in (0, legs.seats)
            or min(counts, default=0) < 0
            or (len(rest.disqualified_seats) > 1 and legs.seats <= SEATS_THAT_END_A_LEG)
            or sorted({*rest.disqualified_seats}) != [*rest.disqualified_seats]
        ):
            raise ValueError("it has faults of other legs")
