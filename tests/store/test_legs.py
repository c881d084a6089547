"""Legs as columns: what goes in comes out, from objects and from parts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from tournament.store.field import Batch
from tournament.store.leg_result import LegResult, are_too_large
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.summary_parts import summary_parts

OWN = LegSums(0.5, 0.25, 0.125, 4.0, 3.0, -4.0)
LEG = LegResult("0" * 64, 0, 0, ("ann", "bob"), 4, 40, (OWN, OWN.opposite()))


def test_changed_batch_changes_few_summary_parts() -> None:
    ends = np.random.default_rng(2).integers(1 << 48, size=3000)
    batches = [
        Batch(f"{number:010}-{0:010}-{end:012x}", (), Legs.from_results([LEG] * 8), seal=f"{number:064}")
        for number, end in enumerate(ends.tolist())
    ]
    parts = summary_parts(batches)["legs"]
    assert 3 <= len(parts) < 10 and sum(map(len, parts.values())) == 24_000
    changed = [replace(batches[0], seal="f" * 64), *batches[1:1500], *batches[1501:]]
    assert len(parts.keys() - summary_parts(changed)["legs"].keys()) <= 2


def test_legs_without_luck_have_points_less_luck() -> None:
    legs = Legs.from_results([LEG, replace(LEG, number=1, sums=(LegSums(1.0, 1.0), LegSums(-1.0, 1.0)))]).without_luck()
    assert legs[0].sums == ((own := LegSums(0.375, 0.25, 0.0, 3.0, 3.0, -3.0)), own.opposite())
    assert legs[1].sums[0] == LegSums(1.0, 1.0)
    plain = Legs.from_results([legs[1]])
    assert plain.without_luck() is plain


def test_points_that_no_record_holds_are_too_large() -> None:
    fine = LegSums(1e15, 1e30), LegSums(-1e15, 1.0)
    for points in (1.1e15, -1.1e15, math.inf, math.nan):
        several = [fine, (fine[0], LegSums(points, 1.0)), fine, (LegSums(0.0, abs(points) * 1e16), fine[1])]
        assert are_too_large(np.array(several)).tolist() == [False, True, False, True]
