"""Legs that depend on what was played before them in the same process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tournament.rehearsal.finding import Finding
from tournament.rehearsal.plays import Plays


def independence(several: Sequence[Plays]) -> Iterator[Finding]:
    """Yield whether legs that are played again after others are the same."""
    for plays in several:
        for first, again in zip(plays.legs, plays.repeated):
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
