"""Legs as columns: what goes in comes out, from objects and packed, and what can't be is refused."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tests.ledger_rows import packed_of, rows_of
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Fault, LegResult, Legs, Packed, pack_legs, too_much, unpack_legs

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
    x=st.sampled_from(["ann", "bob", "c-3.+_"]),
    y=st.sampled_from(["ann", "bob"]),
    sessions=st.integers(0, 2**31 - 1),
    games=st.integers(0, 10**15),
    sums=seat.map(lambda own: (own, own.opposite())),
    faults=st.lists(faults, max_size=2).map(tuple),
    faults_left_out=st.tuples(st.integers(0, 3), st.integers(0, 3)),
)
both = st.builds(lambda leg, sums: replace(leg, sums=sums), results, st.tuples(seat, seat))
legs = st.lists(results | both, max_size=5)


@settings(max_examples=60, deadline=None)
@given(legs, st.data())
def test_legs_come_back_to_the_last_bit(played: list[LegResult], data: st.DataObject) -> None:
    columns = Legs.of(played)
    cut = data.draw(st.integers(0, len(played)))
    for same in (
        columns,
        Legs.of(read(*written(played))),
        Legs.joined([columns[:cut], columns[cut:]]),
    ):
        assert list(map(repr, same)) == list(map(repr, played))
        assert same == columns and same[cut:] == Legs.of(played[cut:])
    ordered = sorted(played, key=lambda leg: (leg.match, leg.number))
    assert list(columns.in_order()) == ordered
    places = [(leg.match, leg.number) for leg in ordered]
    assert Legs.of(ordered).are_in_order() == (len(set(places)) == len(places))


OWN = LegSums(0.5, 0.25, 0.125, 4.0, 3.0, -4.0)
LEG = LegResult("0" * 64, 0, 0, "ann", "bob", 4, 40, (OWN, OWN.opposite()))
ODD: dict[str, Any] = {
    "digest": ["0" * 62, "0" * 66],
    "match": [-1, 2**31],
    "games": [10**15 + 1, -1],
    "x": ["", "../ann", 7, None, ["ann"], {}],
    "points": [float("nan"), float("inf"), 1.1e15],
    "squared_points": [-1.0, 2e30, float("nan")],
    "luck": [-1.1e15, float("nan")],
    "variance": [-1.0, 2e30],
    "adjusted_variance": [-1.0, float("nan")],
    "covariance": [-2e30, float("inf")],
    "faults": [[{}], 3, [{"seat": 2, "session": 0, "game": 0, "question": "a", "what": ""}]],
    "ended_by": [0, 2, True],
    "faults_left_out": [[0], [0, 0, 0], [0, -1]],
    "y_sums": [[0.5] * 6, [0.5] * 5],
    "more": [0],
}


def written(legs: list[LegResult] | Legs) -> tuple[bytes, bytes]:
    packed, columns = pack_legs(Legs.of(legs))
    return TypeAdapter(Packed).dump_json(packed), b"".join(column.tobytes() for column in columns)


def read(packed: bytes | dict[str, Any], columns: bytes) -> list[LegResult]:
    text = packed if isinstance(packed, bytes) else json.dumps(packed)
    content = b"before" + columns + b"after"
    return list(unpack_legs(TypeAdapter(Packed).validate_json(text), content, 6, 6 + len(columns)))


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in ODD.items() for value in values], ids=repr)
def test_what_can_not_be_is_refused(key: str, value: Any) -> None:
    (good,) = rows_of(json.loads(written([LEG])[0]), written([LEG])[1])
    assert read(*packed_of([good])) == [LEG]
    bad = good | {key: value}
    with pytest.raises(ValueError):
        if key == "x" and not isinstance(value, str):  # nothing but texts are names
            packed, columns = packed_of([good, good])
            read(packed | {"names": [value, "bob"]}, columns)
        else:
            read(*packed_of([good, bad]))


GOOD, COLUMNS = json.loads(written([LEG, LEG])[0]), written([LEG, LEG])[1]


@pytest.mark.parametrize(
    "packed",
    [
        *(None, 3, {}, [], [3], [[]], [{"digest": "0" * 64}]),
        *(GOOD | {"legs": count} for count in (0, 1, 3, -2, 2.0, True, 10**400, None)),
        *(GOOD | {"names": names} for names in ([], ["ann"], "ab", None)),
        *(GOOD | {"rests": values} for values in ("", None, [], [3])),
        *(GOOD | {"y_sums": kept} for kept in (True, 1, None)),
        GOOD | {"more": 1},
    ],
    ids=lambda packed: repr(packed)[-60:],
)
def test_what_are_no_packed_legs_is_refused(packed: Any) -> None:
    assert read(GOOD, COLUMNS) == [LEG, LEG]
    with pytest.raises(ValueError):
        read(packed, COLUMNS)


@pytest.mark.parametrize("columns", [b"", COLUMNS[:-1], COLUMNS + b"x", COLUMNS * 2], ids=len)
def test_columns_of_another_length_are_refused(columns: bytes) -> None:
    with pytest.raises(ValueError):
        read(GOOD, columns)


def test_an_index_beyond_its_list_is_refused() -> None:
    end = len(COLUMNS) - 2 * 32
    for place in range(end - 2 * 3 * 4, end):  # indices of names, and of rests
        for byte in (0x7F, 0xFF):
            changed = bytearray(COLUMNS)
            changed[place] = byte
            with pytest.raises(ValueError):
                read(GOOD, bytes(changed))


def test_sums_of_y_are_kept_where_they_are_not_those_of_x_negated() -> None:
    with_y = replace(LEG, sums=(OWN, LegSums(2.0, 4.0)))
    packed, columns = written([with_y, with_y])
    rows = rows_of(json.loads(packed), columns)
    assert rows[1]["y_sums"] == [2.0, 4.0, 0.0, 0.0, 0.0, 0.0]
    for value in ([2.0, -1.0, *[0.0] * 4], [2e15, 1.0, *[0.0] * 4]):
        assert read(*packed_of(rows)) == [with_y, with_y]
        with pytest.raises(ValueError):
            read(*packed_of([rows[0], rows[1] | {"y_sums": value}]))


def test_of_zero_sum_games_the_sums_of_x_are_kept_alone() -> None:
    legs = Legs.of([LEG, LEG])
    assert legs.sums.shape == (2, 1, 6) and not pack_legs(legs)[0].y_sums
    assert legs[1].sums[1] == LegSums(-0.5, 0.25, -0.125, 4.0, 3.0, -4.0)
    with_y = replace(LEG, sums=(OWN, LegSums(2.0, 4.0)))
    for several in ([LEG, with_y], [with_y, LEG]):
        assert list(Legs.joined(Legs.of([leg]) for leg in several)) == list(Legs.of(several)) == several
    y = legs.of_seat(1)
    columns = (y.points, y.squared_points, y.luck, y.variance, y.adjusted_variance, y.covariance)
    assert [column.tolist() for column in columns] == [
        [-0.5] * 2,
        [0.25] * 2,
        [-0.125] * 2,
        [4.0] * 2,
        [3.0] * 2,
        [-4.0] * 2,
    ]


def test_legs_without_luck_have_points_less_luck_and_the_variance_of_these() -> None:
    legs = Legs.of([LEG, replace(LEG, number=1, sums=(LegSums(1.0, 1.0), LegSums(-1.0, 1.0)))]).without_luck()
    assert legs[0].sums == ((own := LegSums(0.375, 0.25, 0.0, 3.0, 3.0, -3.0)), own.opposite())
    assert legs[1].sums[0] == LegSums(1.0, 1.0)
    plain = Legs.of([legs[1]])
    assert plain.without_luck() is plain


def test_who_is_sent_a_slice_gets_no_more() -> None:
    few, many = (Legs.of([replace(LEG, number=number) for number in range(count)])[:2] for count in (3, 30_000))
    assert len(pickle.dumps(many)) == len(pickle.dumps(few))
    assert pickle.loads(pickle.dumps(many)) == many


@pytest.mark.parametrize("points", [1.1e15, -1.1e15, math.inf, math.nan])
def test_points_that_no_record_holds_are_named_with_their_match(points: float) -> None:
    leg = LegResult("0" * 64, 7, 0, "ann", "bob", 4, 40, (LegSums(points, 1.0), LegSums(0.0, 1.0)))
    assert too_much(leg).startswith("match 7 (ann – bob) has points beyond 10¹⁵")
    assert not too_much(replace(leg, sums=(LegSums(1e15, 1e30), LegSums(-1e15, 1.0))))
