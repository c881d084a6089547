"""Sums of points by entrant over the legs that count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.kernel.blocks import block_sizes
from engine.kernel.game_core import BLOCK_COUNT, SEAT_COUNT
from tournament.arrays import Floats, Whole
from tournament.standings.errors import (
    Measured,
    Replicas,
    heavy_tailed,
    moments_of,
    on_grid,
    residuals_of_blocks,
    residuals_of_opponents,
    rounding_of,
)
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Tally:
    """Sums of the fit entrants, one index each.

    A row of `blocks` adds up to the score, `sizes` has the sessions, or games, in each. `of_replicas`, where each match
    has two `replicas` or more, are residuals over these. `brought` is what each opponent, by column, brought the score;
    so many are `common` to two entrants. `divisors` are what scores are divided by to rank entrants that have not met
    equally many opponents yet, `lengths` the sessions of one replica of each match, `rounding` by how much a score may
    be off. `moments` works out how many blocks each has, and the sums of their squares and cubes, a row each.
    """

    scores: Floats
    blocks: Floats
    sizes: Floats
    replicas: int
    of_replicas: Floats | None
    brought: Floats
    common: int
    sessions: Whole
    games: Whole
    opponents: list[int]
    measures: Sequence[Mapping[str, float | None]]
    divisors: Whole
    lengths: Sequence[float]
    rounding: Floats
    moments: Callable[[], Floats]

    @cached_property
    def heavy_tailed(self) -> list[bool]:
        """Who has won or lost much in few blocks."""
        return heavy_tailed(self.moments())

    @cached_property
    def measured(self) -> Measured:
        """The scores, divided, and what their errors are told from."""
        divisors = np.maximum(1, self.divisors)[:, np.newaxis]
        if self.of_replicas is not None:
            residuals, freedom = self.of_replicas, self.replicas - 1
        else:
            residuals, freedoms = residuals_of_blocks(self.blocks, self.sizes)
            freedom = min((one for one, met in zip(freedoms.tolist(), self.opponents) if met), default=0)
        return Measured(
            on_grid(self.scores / divisors[:, 0], float((self.rounding / divisors[:, 0]).max(initial=0.0))),
            residuals / divisors,
            freedom,
            self.replicas,
            residuals_of_opponents(self.brought, self.common) / divisors,
            self.common,
        )


def tally_of_points(
    fit: Sequence[str],
    legs: Legs,
    legs_per_replica: int,
    against: Sequence[str] | None = None,
    *,
    by_games: bool = False,
) -> Tally:
    """Sums of points over the matches among these entrants, of each match the mean over its replicas; or over those
    against others, who needn't have met each other. Errors of one replica are over its sessions, or `by_games`.

    Legs are in order."""
    count = len(fit)
    rows = {name: place for place, name in enumerate(fit)}
    columns = rows if against is None else {name: place for place, name in enumerate(against)}
    # The seats of each leg, one after the other, so that sums are added leg by leg.
    seats, others = (
        np.stack([legs.numbered(seat, numbers) for seat in order], axis=1)
        for numbers, order in ((rows, (0, 1)), (columns, (1, 0)))
    )
    counted = (seats >= 0) & (others >= 0)
    if not counted.any(axis=1).all():
        places = np.flatnonzero(counted.any(axis=1))
        legs, seats, others, counted = legs.chosen(places), seats[places], others[places], counted[places]
    # What a seat brought that doesn't count goes to a row after the last one.
    seats, others = np.where(counted, seats, count), np.where(counted, others, 0)
    index, opponent = seats.ravel(), others.ravel()
    replicas = Replicas.of(legs.match, legs.number, legs_per_replica)
    of_match = np.repeat(replicas.of_match, SEAT_COUNT)
    lengths = legs.games if by_games else legs.sessions
    of_sides = np.repeat(lengths, SEAT_COUNT)
    sizes = np.zeros((count, BLOCK_COUNT))
    in_order = np.sort(lengths)
    for length in in_order[np.diff(in_order, prepend=-1) > 0].tolist():  # np.unique loads numpy.ma
        sizes += np.outer(np.bincount(index[of_sides == length], minlength=count + 1)[:count], block_sizes(length))
    of_seats = [legs.of_seat(seat) for seat in range(SEAT_COUNT)]
    blocks, points = np.zeros((count, BLOCK_COUNT)), np.empty(len(index))
    most = int(replicas.of_match.max(initial=0))
    for block in range(BLOCK_COUNT):
        for seat, own in enumerate(of_seats):
            points[seat::SEAT_COUNT] = own.block(block)
        blocks[:, block] = sums_by_entrant(count, index, points if replicas.fewest == most == 1 else points / of_match)
    squares = np.empty(len(index))
    residuals = None if replicas.fewest < 2 else np.zeros((count, int(replicas.replica.max()) + 1))
    for seat, own in enumerate(of_seats):
        points[seat::SEAT_COUNT], squares[seat::SEAT_COUNT] = own.points, own.squared_points
        if residuals is not None:
            residuals += replicas.residuals(seats[:, seat], own.points, lengths, count + 1)[:count]
    met = np.zeros((count + 1, len(columns)), bool)
    met[index, opponent] = True
    met = met[:count]
    there = np.flatnonzero(met.any(axis=0))
    brought = sums_by_entrant(count * len(columns), index * len(columns) + opponent, points / of_match)
    brought = brought.reshape(count, len(columns))

    def moments() -> Floats:
        found, of_legs = np.zeros((3, count + 1)), np.empty(0)
        for seat, own in enumerate(of_seats):
            of_legs = of_legs * [[1], [1], [-1]] if own.is_opposite else moments_of(own, lengths)
            found += [np.bincount(seats[:, seat], values, count + 1) for values in of_legs]
        return found[:, :count]

    return Tally(
        scores=blocks.sum(axis=1),
        blocks=blocks,
        sizes=sizes,
        replicas=replicas.fewest,
        of_replicas=residuals,
        brought=brought if against is None else brought[:, there],
        common=len(there) - (SEAT_COUNT if against is None else 0),
        sessions=whole_sums(count, index, np.repeat(legs.sessions, SEAT_COUNT)),
        games=whole_sums(count, index, np.repeat(legs.games, SEAT_COUNT)),
        opponents=met.sum(axis=1).tolist(),
        measures=[{} for _ in fit],
        divisors=met.sum(axis=1),
        lengths=np.bincount(index, np.repeat(legs.sessions, SEAT_COUNT) / of_match, count + 1)[:count].tolist(),
        rounding=sums_by_entrant(count, index, rounding_of(of_sides, squares) / of_match),
        moments=moments,
    )


def sums_by_entrant(entrants: int, index: Whole, values: Floats) -> Floats:
    """For each entrant the sum of the values with its index, added one after the other in their order."""
    return np.bincount(index, values, entrants)[:entrants].astype(np.float64)


def whole_sums(entrants: int, index: Whole, values: Whole) -> Whole:
    """The same for one column of whole numbers."""
    sums = np.zeros(max(entrants, int(index.max(initial=-1)) + 1), np.int64)
    np.add.at(sums, index, values)
    return sums[:entrants]
