"""Sums of points by entrant over the legs that count, in blocks whose spread tells errors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from engine.kernel.game_core import BLOCK_COUNT, SEAT_COUNT
from tournament.arrays import Floats, Whole
from tournament.standings import replicas
from tournament.standings.estimates import block_sizes, error_of_sum, joint_residuals
from tournament.store.ledger import FieldEntrant
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Tally:
    """Sums of the fit entrants, one index each. A row of `blocks` adds up to that entrant's score.

    `weights` are the sizes of the blocks, `lengths` the sessions of one replica of each
    match; `residuals`, where there are several replicas, give the errors instead of the
    blocks, with their degrees of freedom. `per_match`, the score divided by `divisors`,
    ranks: it compares entrants that have not met equally many opponents yet.
    """

    scores: Floats
    blocks: Floats
    weights: Floats
    sessions: Whole
    games: Whole
    opponents: list[int]
    measures: Sequence[Mapping[str, float | None]]
    divisors: list[int]
    lengths: list[float]
    residuals: tuple[Floats, int] | None = None

    def per_match(self) -> Floats:
        return np.asarray(self.scores / np.maximum(1, self.divisors))

    def estimates(self) -> list[tuple[float | None, int]]:
        """Each score's standard error, None where it can't be told, and its degrees of freedom."""
        if self.residuals is None:
            return list(map(error_of_sum, self.blocks, self.weights))
        residuals, freedom = self.residuals
        errors = np.sqrt(np.einsum("ij,ij->i", residuals, residuals)).tolist()
        return [(error, freedom) if freedom > 0 and met else (None, 0) for error, met in zip(errors, self.opponents)]

    def joint_residuals(self) -> tuple[Floats, int]:
        """Rows of residuals, one for each entrant: products of two add up to covariances; and degrees of freedom."""
        if self.residuals is not None:
            return self.residuals
        freedoms = [max(0, int((weights > 0).sum()) - 1) for weights, met in zip(self.weights, self.opponents) if met]
        return joint_residuals(self.blocks, self.weights), min(freedoms, default=0)


def tally_of_points(fit: Sequence[FieldEntrant], legs: Legs, legs_per_replica: int) -> Tally:
    """Sums of points over the matches among the fit, of each match the mean over its replicas."""
    count = len(fit)
    indices = {entrant.name: index for index, entrant in enumerate(fit)}
    legs = legs.among(indices, indices)
    # The seats of each leg, one after the other, so that sums are added leg by leg.
    seats = np.stack([legs.numbered(seat, indices) for seat in range(SEAT_COUNT)], axis=1)
    index = seats.ravel()
    played = replicas.PlayedReplicas.of(legs.match, legs.number, legs_per_replica)
    sessions = np.repeat(legs.sessions, SEAT_COUNT)
    weights = np.zeros((count, BLOCK_COUNT))
    lengths = np.sort(legs.sessions)
    for length in lengths[np.diff(lengths, prepend=-1) > 0].tolist():  # np.unique loads numpy.ma
        weights += np.outer(np.bincount(index[sessions == length], minlength=count), block_sizes(length, BLOCK_COUNT))
    of_seats = [legs.of_seat(seat) for seat in range(SEAT_COUNT)]
    blocks, points = np.zeros((count, BLOCK_COUNT)), np.empty(len(index))
    for block in range(BLOCK_COUNT):
        for seat, own in enumerate(of_seats):
            points[seat::SEAT_COUNT] = own.block(block) / played.of_match if played.several else own.block(block)
        blocks[:, block] = np.bincount(index, points, count)
    met = np.zeros((count, count), bool)
    for seat, other in itertools.permutations(range(SEAT_COUNT), 2):
        met[seats[:, seat], seats[:, other]] = True
    opponents = met.sum(axis=1).tolist()
    return Tally(
        scores=blocks.sum(axis=1),
        blocks=blocks,
        weights=weights,
        sessions=whole_sums(count, index, sessions),
        games=whole_sums(count, index, np.repeat(legs.games, SEAT_COUNT)),
        opponents=opponents,
        measures=[{} for _ in fit],
        divisors=opponents,
        lengths=np.bincount(index, sessions / np.repeat(played.of_match, SEAT_COUNT), count).tolist(),
        residuals=replicas.residuals(played, seats, count, of_seats, legs.sessions) if played.several else None,
    )


def sums_by_entrant(entrants: int, index: Whole, values: Floats) -> Floats:
    """For each entrant the sum of the rows with its index, added one after the other in their order."""
    sums = np.zeros((entrants, values.shape[1]))
    for block, column in enumerate(values.T):
        sums[:, block] = np.bincount(index, column, entrants)
    return sums


def whole_sums(entrants: int, index: Whole, values: Whole) -> Whole:
    """The same for one column of whole numbers."""
    sums = np.zeros(entrants, np.int64)
    np.add.at(sums, index, values)
    return sums
