"""Legs that depend on what was played before them in the same process, or that leave something there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from tournament.rehearsal.finding import Finding
from tournament.rehearsal.plays import MANNERS, Plays

# Maximum growth in memory blocks per replayed leg. Rules that keep a record of each session exceed it.
_GROWTH = 40


def independence(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield a fault if a leg that is replayed after others has another result, otherwise a finding that none has.

    Only the first such leg is reported. Legs in which the rules failed are omitted. Without a replay none has another
    result.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        for first, again in zip(itertools.cycle(plays.legs[: len(MANNERS)]), plays.repeated):
            if first.failure or again.failure:
                continue
            if not (np.array_equal(first.points, again.points) and np.array_equal(first.bots, again.bots)):
                yield Finding(
                    "independence",
                    f"a leg of {plays.seats} {first.manner} bots has other points after other legs: the rules draw from"
                    " elsewhere than session.rng, or remember something in the class or the module",
                    is_fault=True,
                )
                return
    yield Finding("independence", "legs are the same whatever was played before them")


def growth(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield a fault if rules keep more objects each time that the same legs are replayed, otherwise nothing.

    What rules cache for good is kept after the first replay, so it doesn't count. Each round must add more than 40
    memory blocks for each leg. Only the first such number of seats is reported.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        rises = [(later - before) / len(MANNERS) for before, later in itertools.pairwise(plays.kept)]
        if rises and min(rises) > _GROWTH:
            yield Finding(
                "memory",
                f"the rules keep {sum(rises) / len(rises):,.0f} more objects each time that a leg is played again: what"
                " a session needs belongs in self or in variables of play, not in the class or the module",
                is_fault=True,
            )
            return
