"""The scores of entrants in each of their replicas, by which a run until the order is settled judges."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from tournament.standings.errors import on_grid, rounding_of
from tournament.store.legs import Legs


def scores_of_replicas(
    names: Sequence[str],
    legs: Legs,
    legs_per_replica: int,
    house: Collection[str],
    score: Callable[[Legs], Sequence[float]] | None,
) -> dict[str, list[float]]:
    """The scores of each entrant in its replicas: in the first ones that all its matches have whole.

    Legs are in order. Those against the others count; or, where there is a `score` of legs against house players for
    all these names, those against the `house`.
    """
    rows = {name: row for row, name in enumerate(names)}
    columns = {name: column for column, name in enumerate(house)} if score else rows
    legs = legs.among(rows, columns)
    first, second = legs.numbered(0, rows), legs.numbered(1, columns)
    ranges = legs.matches()
    starts = np.repeat(ranges[:, 0], np.diff(ranges).ravel())
    leading = np.zeros((len(rows), len(columns)), np.int64)  # legs of a match, the first ones without a gap
    np.add.at(leading, (first, second), legs.number == np.arange(len(legs)) - starts)
    if not score:
        leading += leading.T
        np.fill_diagonal(leading, leading.max(initial=0))
    counts = leading.min(axis=1, initial=leading.max(initial=0)) // legs_per_replica
    replica = legs.number // legs_per_replica
    scores = np.zeros((len(rows), int(counts.max(initial=0))))
    if score:
        for number, own in enumerate(scores.T):
            own[:] = score(legs.chosen(np.flatnonzero(replica == number)))
    else:
        counted = replica < scores.shape[1]
        for seat, index in enumerate((first, second)):
            np.add.at(scores, (index[counted], replica[counted]), legs.of_seat(seat).points[counted])
    off = np.zeros(len(rows))
    for seat, index in enumerate((first, second) if not score else (first,)):
        np.add.at(off, index, rounding_of(legs.games if score else legs.sessions, legs.of_seat(seat).squared_points))
    scores = on_grid(scores, float(off.max(initial=0.0)) / max(1, len(scores.T)))
    return {name: row[:count].tolist() for name, row, count in zip(names, scores, counts.tolist())}
