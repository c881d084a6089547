"""Duplicate matches: errors of one replica, and what their variance is against that of independent replicas."""

from __future__ import annotations

import hashlib
import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from engine.kernel.sums import SeatSums
from tests.standings.blocks import LegWithBlocks, leg_sums, share_variances
from tests.standings.test_standings import batch_of, field_of
from tournament.arrays import Floats
from tournament.standings.caveats import reader_notes
from tournament.standings.duplicates import relative_variance
from tournament.standings.standings import Standings, compute_standings
from tournament.store.legs import Legs

BLOCKS = 32


def leg_of(names: tuple[str, ...], match: int, number: int, points: Floats) -> LegWithBlocks:
    """Return a leg in which these bots won these points: a row for each, with a session for each block."""
    sums = [SeatSums(float(own.sum()), float(own @ own), tuple(own.tolist())) for own in points]
    digest = hashlib.sha256(f"{names} {number}".encode()).hexdigest()
    return LegWithBlocks(digest, match, number, names, BLOCKS, BLOCKS, leg_sums(sums, BLOCKS), by_block=tuple(sums))


def duplicates(seats: int, matches: int, replicas: int, shared: float, seed: int) -> list[LegWithBlocks]:
    """Legs of duplicate matches: the deal is worth something to each position, `shared` to the table."""
    chance, legs = np.random.default_rng(seed), list[LegWithBlocks]()
    for match, replica in itertools.product(range(matches), range(replicas)):
        deal = chance.normal(0, 3, (seats, BLOCKS))
        deal -= deal.mean(axis=0)  # what a position gains the others lose
        table = chance.normal(0, 3, BLOCKS) * shared
        names = tuple(f"bot_{match}_{seat}" for seat in range(seats))
        for rotation in range(seats):
            points = np.roll(deal, rotation, axis=0) + table + chance.normal(0, 1, (seats, BLOCKS))
            legs.append(leg_of(names, match, replica * seats + rotation, points))
    return share_variances(legs, seats)


def ranked(legs: list[LegWithBlocks], seats: int) -> Standings:
    names = sorted({name for leg in legs for name in leg.seats})
    return compute_standings(replace(field_of(names), settings={"duplicate": True}), [batch_of(*legs)])


def test_variances_of_complete_deals_are_shared_and_of_others_their_own() -> None:
    """Luck that cancels between the legs of a replica is no error of their sum."""
    legs = duplicates(3, 1, 2, 0.0, seed=1)
    assert share_variances(legs[:5], 3)[:3] == legs[:3]
    own = [replace(leg, sums=leg_sums(leg.by_block, BLOCKS)) for leg in legs]
    assert share_variances(own[:5], 3) == legs[:3] + own[3:5]
    assert own[3].sums != legs[3].sums
    deal, skill = np.random.default_rng(3).normal(0, 10, BLOCKS), np.random.default_rng(4).normal(0, 1, (2, BLOCKS))
    points = deal + skill[0], skill[1] - deal
    both = [leg_of(("x", "y"), 0, number, np.stack([own, -own])) for number, own in enumerate(points)]
    found = ranked(share_variances(both, 2), 2)
    (match,) = found.matches
    assert (match.legs, match.sessions, found.entrants[0].matches) == (2, 2 * BLOCKS, 1)
    assert match.points_0_stderr == pytest.approx(math.sqrt(BLOCKS) * skill.sum(axis=0).std(ddof=1), rel=1e-9)


@pytest.mark.statistical
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize(("shared", "pays"), [(0.0, True), (1.0, False)])
def test_run_says_if_duplicate_matches_do_not_pay(seats: int, shared: float, pays: bool) -> None:
    legs = duplicates(seats, 30, 8, shared, seed=5)
    times = relative_variance(Legs.from_results(legs), seats)
    # By leg: 1 of the bot, the part of the deal that sums over positions cancel, and that of the table.
    deal, table = 9 * (1 - 1 / seats), 9 * shared * shared
    true = (1 + table * seats) / (1 + deal + table)
    assert times == pytest.approx(true, rel=4 * math.sqrt(2 / (30 * 7)))
    found = [note for note in reader_notes(ranked(legs, seats)) if "doesn't pay here" in note]
    assert len(found) == (not pays) and (pays or f"vary {times:.2f} times" in found[0])


def test_nothing_is_said_of_duplicate_matches_with_few_replicas() -> None:
    legs = duplicates(2, 30, 8, 1.0, seed=5)
    assert relative_variance(Legs.from_results(legs[:32]), 2) is None  # two matches of eight replicas
    assert relative_variance(Legs.from_results(duplicates(2, 200, 1, 1.0, seed=5)), 2) is None
