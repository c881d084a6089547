"""Sums of points by entrant over the legs that count."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.kernel.game_core import BLOCK_COUNT, SEAT_COUNT
from tournament.arrays import Floats, Whole
from tournament.standings.errors import (
    Measured,
    Replicas,
    block_sizes,
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


def tally_of_points(fit: Sequence[str], legs: Legs, legs_per_replica: int) -> Tally:
    """Sums of points over the matches among these entrants, of each match the mean over its replicas.

    Legs are in order."""
    count = len(fit)
    indices = {name: index for index, name in enumerate(fit)}
    legs = legs.among(indices, indices)
    # The seats of each leg, one after the other, so that sums are added leg by leg.
    seats = np.stack([legs.numbered(seat, indices) for seat in range(SEAT_COUNT)], axis=1)
    index, against = seats.ravel(), seats[:, ::-1].ravel()
    replicas = Replicas.of(legs.match, legs.number, legs_per_replica)
    of_match = np.repeat(replicas.of_match, SEAT_COUNT)
    sessions = np.repeat(legs.sessions, SEAT_COUNT)
    sizes = np.zeros((count, BLOCK_COUNT))
    lengths = np.sort(legs.sessions)
    for length in lengths[np.diff(lengths, prepend=-1) > 0].tolist():  # np.unique loads numpy.ma
        sizes += np.outer(np.bincount(index[sessions == length], minlength=count), block_sizes(length))
    of_seats = [legs.of_seat(seat) for seat in range(SEAT_COUNT)]
    blocks, points = np.zeros((count, BLOCK_COUNT)), np.empty(len(index))
    for block in range(BLOCK_COUNT):
        for seat, own in enumerate(of_seats):
            points[seat::SEAT_COUNT] = own.block(block)
        blocks[:, block] = sums_by_entrant(count, index, points / of_match)
    squares = np.empty(len(index))
    residuals = None if replicas.fewest < 2 else np.zeros((count, int(replicas.replica.max()) + 1))
    for seat, own in enumerate(of_seats):
        points[seat::SEAT_COUNT], squares[seat::SEAT_COUNT] = own.points, own.squared_points
        if residuals is not None:
            residuals += replicas.residuals(seats[:, seat], own.points, legs.sessions, count)

    def moments() -> Floats:
        found, of_legs = np.zeros((3, count)), np.empty(0)
        for seat, own in enumerate(of_seats):
            of_legs = of_legs * [[1], [1], [-1]] if own.is_opposite else moments_of(own, legs.sessions)
            found += [np.bincount(seats[:, seat], values, count) for values in of_legs]
        return found

    met = np.zeros((count, count), bool)
    met[index, against] = True
    return Tally(
        scores=blocks.sum(axis=1),
        blocks=blocks,
        sizes=sizes,
        replicas=replicas.fewest,
        of_replicas=residuals,
        brought=sums_by_entrant(count * count, index * count + against, points / of_match).reshape(count, count),
        common=int(met.any(axis=1).sum()) - SEAT_COUNT,
        sessions=whole_sums(count, index, sessions),
        games=whole_sums(count, index, np.repeat(legs.games, SEAT_COUNT)),
        opponents=met.sum(axis=1).tolist(),
        measures=[{} for _ in fit],
        divisors=met.sum(axis=1),
        lengths=np.bincount(index, sessions / of_match, count).tolist(),
        rounding=sums_by_entrant(count, index, rounding_of(sessions, squares) / of_match),
        moments=moments,
    )


def sums_by_entrant(entrants: int, index: Whole, values: Floats) -> Floats:
    """For each entrant the sum of the values with its index, added one after the other in their order."""
    return np.bincount(index, values, entrants).astype(np.float64)


def whole_sums(entrants: int, index: Whole, values: Whole) -> Whole:
    """The same for one column of whole numbers."""
    sums = np.zeros(entrants, np.int64)
    np.add.at(sums, index, values)
    return sums
