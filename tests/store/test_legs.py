"""Legs as columns: what goes in comes out, from objects and from parts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tournament.store.field import Batch, new_batch_name
from tournament.store.leg_result import Fault, LegResult, are_too_large
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.summary_parts import summary_parts

amounts = st.floats(-1e15, 1e15)
places, words = st.integers(0, 9), st.text(max_size=9)
faults = st.builds(Fault, st.integers(0, 1), places, places, st.just("b"), words, words)
squares = st.floats(0, 1e30)
seat = st.builds(LegSums, amounts, squares, amounts, squares, squares, st.floats(-1e30, 1e30))
results = st.builds(
    LegResult,
    digest=st.integers(0, 2**256 - 1).map(lambda number: f"{number:064x}"),
    match=st.integers(0, 2**31 - 1),
    number=st.integers(0, 2**31 - 1),
    seats=st.tuples(st.sampled_from(["ann", "bob", "c-3.+_"]), st.sampled_from(["ann", "bob"])),
    house=st.sampled_from(["", "ann", "server"]),
    sessions=st.integers(0, 2**31 - 1),
    games=st.integers(0, 10**15),
    sums=seat.map(lambda own: (own, own.opposite())),
    faults=st.lists(faults, max_size=2).map(tuple),
    further_faults=st.tuples(st.integers(0, 3), st.integers(0, 3)).map(lambda out: out if any(out) else ()),
    seconds=st.floats(0, 1e9, width=32),
)
both = st.builds(lambda leg, sums: replace(leg, sums=sums), results, st.tuples(seat, seat))
legs = st.lists(results | both, max_size=5)


@settings(max_examples=60)
@given(legs, st.data())
def test_legs_return_from_columns_exactly(played: list[LegResult], data: st.DataObject) -> None:
    columns = Legs.from_results(played)
    cut = data.draw(st.integers(0, len(played)))
    for same in (columns, Legs.joined([columns[:cut], columns[cut:]])):
        assert list(map(repr, same)) == list(map(repr, played))
        assert same == columns and same[cut:] == Legs.from_results(played[cut:])
    ordered = sorted(played, key=lambda leg: (leg.match, leg.number))
    assert list(columns.in_order()) == ordered
    places = [(leg.match, leg.number) for leg in ordered]
    assert Legs.from_results(ordered).are_in_order() == (len(set(places)) == len(places))


OWN = LegSums(0.5, 0.25, 0.125, 4.0, 3.0, -4.0)
LEG = LegResult("0" * 64, 0, 0, ("ann", "bob"), 4, 40, (OWN, OWN.opposite()))


def test_changed_batch_changes_few_summary_parts() -> None:
    batches = [
        Batch(new_batch_name(number, 0), (), Legs.from_results([LEG] * 8), seal=f"{number:064}")
        for number in range(9000)
    ]
    parts = summary_parts(batches)["legs"]
    assert 1 <= len(parts) < 30 and sum(map(len, parts.values())) == 72_000
    changed = [replace(batches[0], seal="f" * 64), *batches[1:5000], *batches[5001:]]
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
