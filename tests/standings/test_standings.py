"""Rankings of legs, compared with plain sums."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.sums import SeatSums
from tests.standings.blocks import LegWithBlocks, leg_sums
from tournament.leg import match_number
from tournament.records.values import crosstable_values
from tournament.standings.caveats import reader_notes
from tournament.standings.standings import Standing, compute_standings
from tournament.standings.student_t import quantile
from tournament.store.field import Batch, ContestSetup, FieldEntrant, Until
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs

BLOCKS = 32
Points = npt.NDArray[np.float64]


def field_of(names: Sequence[str], problems: dict[str, str] | None = None) -> ContestSetup:
    entrants = tuple(
        FieldEntrant(number, name, "c", name, None if name in (problems or {}) else name, (problems or {}).get(name))
        for number, name in enumerate(names)
    )
    return ContestSetup("von_neumann_poker", "1", {}, entrants, {name: number for number, name in enumerate(names)})


def leg_of(field: ContestSetup, x: str, y: str, points: Points, number: int = 0, **more: Any) -> LegWithBlocks:
    """Return a leg in which x won these points in its sessions, cut into blocks as the core does."""
    count = len(points)
    block = np.arange(count) * BLOCKS // count
    own = SeatSums(float(points.sum()), float(points @ points), tuple(np.bincount(block, points, BLOCKS).tolist()))
    return LegWithBlocks(
        digest=hashlib.sha256(f"{x} {y} {number}".encode()).hexdigest(),
        match=match_number(field.numbers[x], field.numbers[y]),
        number=number,
        seats=(x, y),
        sessions=count,
        games=10 * count,
        sums=leg_sums((own, own.opposite()), count),
        by_block=(own, own.opposite()),
        **more,
    )


def batch_of(*legs: LegResult) -> Batch:
    return Batch(legs[0].digest, (), Legs.from_results(legs))


def leg_of_both(field: ContestSetup, x: str, y: str, of_x: Points, of_y: Points, number: int = 0) -> LegResult:
    """Return a leg of a game that is not zero-sum: both sides have points of their own."""
    leg, other = leg_of(field, x, y, of_x, number), leg_of(field, x, y, of_y, number)
    return replace(leg, sums=leg_sums((leg.by_block[0], other.by_block[0]), len(of_x)))


def tournament(names: Sequence[str], sessions: int, seed: int) -> tuple[ContestSetup, dict[tuple[str, str], Points]]:
    """Return a field and independent points of every pair, of which earlier names win more."""
    chance = np.random.default_rng(seed)
    pairs = itertools.combinations(names, 2)
    return field_of(names), {(x, y): chance.normal(names.index(y) - names.index(x), 5, sessions) for x, y in pairs}


def lines_of(field: ContestSetup, legs: Sequence[LegResult]) -> dict[str, Standing]:
    return {line.name: line for line in compute_standings(field, [batch_of(leg) for leg in legs]).entrants}


@pytest.mark.parametrize("replicas", [1, 3])
def test_sides_of_matches_that_are_not_zero_sum_have_own_points(replicas: int) -> None:
    names = ["ann", "bob", "cat"]
    field, chance = field_of(names), np.random.default_rng(5)
    points = {pair: chance.normal(3, 2, (replicas, 2, 64)) for pair in itertools.combinations(names, 2)}
    legs = [
        leg_of_both(field, x, y, one[0], one[1], leg) for (x, y), of in points.items() for leg, one in enumerate(of)
    ]
    standings = compute_standings(field, [batch_of(leg) for leg in legs])
    for line in standings.entrants:
        own = [of[:, pair.index(line.name)] for pair, of in points.items() if line.name in pair]
        assert line.score == pytest.approx(np.sum(own) / replicas)
    for match in standings.matches:
        assert match.freedom == (replicas if replicas > 1 else BLOCKS) - 1
        reach = quantile(0.975, match.freedom) * (match.points_0_stderr or 0) / (64 * replicas)
        assert match.ci_half_width_per_session == pytest.approx(reach, rel=1e-5)
        of = points[match.x, match.y]
        assert (match.points_0, match.points_1) == pytest.approx(tuple(of.sum(axis=(0, 2))))
        for error, side in ((match.points_0_stderr, 0), (match.points_1_stderr, 1)):
            known = math.sqrt(replicas) * of[:, side].sum(axis=1).std(ddof=1) if replicas > 1 else 16
            assert error == pytest.approx(known, rel=1e-6 if replicas > 1 else 0.5)
    rows = {(row["bot"], row["opponent"]): row["points_per_session"] for row in crosstable_values(standings)}
    assert rows == pytest.approx({
        pair[:: 1 - 2 * side]: of[:, side].sum() / (64 * replicas) for pair, of in points.items() for side in (0, 1)
    })  # fmt: skip


def test_scores_and_counts_are_plain_sums() -> None:
    names = ["ann", "bob", "cat", "dan"]
    field, points = tournament(names, 320, 1)
    standings = compute_standings(field, [batch_of(leg_of(field, x, y, p)) for (x, y), p in points.items()])
    assert [line.name for line in standings.entrants] == names
    assert [line.rank for line in standings.entrants] == [1, 2, 3, 4]
    for line in standings.entrants:
        signed = [p if x == line.name else -p for (x, y), p in points.items() if line.name in (x, y)]
        assert line.score == pytest.approx(np.sum(signed), rel=1e-12)
        blocks = np.reshape(signed, (3, BLOCKS, -1)).sum(axis=2)
        each = BLOCKS * blocks.var(ddof=1, axis=1)  # A row is a match.
        error = math.sqrt(each.sum())
        assert line.stderr == pytest.approx(error, rel=1e-9)
        assert line.ci_high is not None and line.ci_low is not None
        freedom = each.sum() ** 2 / (each**2 / (BLOCKS - 1 + 2)).sum() - 2
        assert line.ci_high - line.score == pytest.approx(quantile(0.975, freedom) * error, rel=1e-4)
        assert line.score - line.ci_low == pytest.approx(line.ci_high - line.score)
        assert (line.matches, line.sessions, line.games) == (3, 960, 9600)
        # Of independent sessions, blocks must tell what the sessions themselves do, up to the noise of 32 blocks.
        assert error == pytest.approx(math.sqrt(320 * np.var(signed, ddof=1, axis=1).sum()), rel=4 / math.sqrt(2 * 93))
    assert standings.games == 6 * 3200


@pytest.mark.parametrize("until", [None, Until(0.95, 4, 10), Until(0.95, 4, 64)], ids=["all", "last look", "a look"])
def test_exact_ties_stay_ties_whatever_the_rounding(until: Until | None) -> None:
    """Four bots win the same, in payoffs that are rounded and added in different orders."""
    equals, preys = ("ann", "bob", "cat", "dan"), [f"prey_{number}" for number in range(6)]
    field, chance = field_of(["dan", "ann", "cat", "bob", *preys]), np.random.default_rng(11)
    legs: list[LegResult] = []
    payoffs = chance.random(350)
    for number in range(10):
        for name, prey in itertools.product(equals, preys):
            leg = leg_of(field, name, prey, chance.permutation(payoffs), number)
            own = leg.sums[0]._replace(points=leg.sums[0].points * (1 + 1e-15 * int(chance.integers(-5, 6))))
            legs.append(replace(leg, sums=(own, own.opposite())))
        for kind in (equals, preys):
            legs += [leg_of(field, x, y, 0 * payoffs, number) for x, y in itertools.combinations(kind, 2)]
    tied = compute_standings(replace(field, until=until), [batch_of(*legs)]).entrants[:4]
    assert len({line.score for line in tied}) > 1, "no rounding: the test tests nothing"
    assert [line.name for line in tied] == ["ann", "bob", "cat", "dan"]
    assert {(line.rank_low, line.rank_high) for line in tied} == {(1, 4)}
    # Equal in every replica: more of them would tell nothing else.
    assert {line.order_status for line in tied[:3]} == {"too_close" if until and until.max_replicas > 10 else "open"}


def test_one_session_has_no_error() -> None:
    field = field_of(["ann", "bob"])
    standings = compute_standings(field, [batch_of(leg_of(field, "ann", "bob", np.array([3.0])))])
    assert standings.matches[0].points_0_stderr is None
    told = [(line.score, line.stderr, line.ci_low) for line in standings.entrants]
    assert told == [(3.0, None, None), (-3.0, None, None)]


def test_rank_of_running_field_goes_by_points_per_match() -> None:
    field, ones = field_of(["a", "b", "c", "d"]), np.ones(64)
    leads = {"ab": 1.0, "ac": 1.0, "ad": -1.5, "bc": 1.0, "bd": 1.0}
    legs = [leg_of(field, pair[0], pair[1], lead * ones) for pair, lead in leads.items()]
    lines = compute_standings(field, [batch_of(leg) for leg in legs]).entrants
    by_match = {"a": 0.5 / 3, "b": 1 / 3, "c": -1.0, "d": 0.25}
    assert [line.name for line in lines] == sorted(by_match, key=lambda name: -by_match[name])


def disqualified(field: ContestSetup) -> list[LegResult]:
    """Return legs in which cat traps once too often against bob, and would otherwise win everything."""
    fault = Fault(1, 2, 5, "b", "out of bounds")
    names = [entrant.name for entrant in field.entrants]
    legs: list[LegResult] = [
        leg_of(field, x, y, np.full(64, -5.0 if y == "cat" else 5.0 if x == "cat" else 1.0))
        for x, y in itertools.combinations(names, 2)
    ]
    spoilt = next(leg for leg in legs if {*leg.seats} == {"bob", "cat"})
    legs[legs.index(spoilt)] = replace(spoilt, faults=(fault,) * 4, disqualified_seats=(1,), sessions=3, games=25)
    return legs


def test_disqualified_bot_is_shown_first_of_most_frequent_fault() -> None:
    field = field_of(["ann", "bob", "cat", "dan"])
    legs = disqualified(field)
    place = next(number for number, leg in enumerate(legs) if leg.ended_by is not None)
    loops = [Fault(1, 0, game, "b", "ran out of fuel") for game in (1, 2)]
    ends = [Fault(1, 0, 3, "b", "used up the bank"), Fault(1, 0, 3, "b", "can't start")]
    legs[place] = replace(legs[place], faults=(Fault(0, 0, 0, "a", "another's"), *loops, *ends))
    lines = lines_of(field, legs)
    assert lines["cat"].reason == "ran out of fuel, in b against bob, session 0, game 1"
    assert (lines["bob"].faults, lines["bob"].status) == (1, "ok")


def test_matches_of_disqualified_bot_count_for_no_bot() -> None:
    field = field_of(["ann", "bob", "cat", "dan"])
    legs = disqualified(field)
    lines = lines_of(field, legs)
    clean = lines_of(field_of(["ann", "bob", "dan"]), [leg for leg in legs if "cat" not in leg.seats])
    assert {name: lines[name] for name in clean} == clean
    cat = lines["cat"]
    assert (cat.rank, cat.status, cat.faults, cat.score, cat.games) == (None, "disqualified", 4, 0.0, 0)
    assert cat.reason == "out of bounds, in b against bob, session 2, game 5"
    standings = compute_standings(field, [batch_of(leg) for leg in legs])
    assert (len(standings.matches), len(standings.faults), standings.entrants[-1].name) == (6, 4, "cat")
    cut_short = next(match for match in standings.matches if {match.x, match.y} == {"bob", "cat"})
    assert cut_short.points_0_stderr is None


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_order_of_commits_changes_no_bit(chance: Any) -> None:
    field, points = tournament(["ann", "bob", "cat", "dan", "eve"], 100, 4)
    legs = [leg_of(field, x, y, p) for (x, y), p in points.items()]
    expected = compute_standings(field, [batch_of(*legs)])
    chance.shuffle(legs)
    cut = chance.randrange(1, len(legs))
    assert compute_standings(field, [batch_of(*legs[:cut]), batch_of(*legs[cut:])]) == expected


def test_note_says_what_few_replicas_can_not_show() -> None:
    field, points = tournament(["ann", "bob"], 64, 2)
    legs = [leg_of(field, "ann", "bob", points["ann", "bob"], number) for number in range(10)]
    (note,) = reader_notes(one := compute_standings(field, [batch_of(legs[0])]))
    assert note.startswith("one match of each pair: no places") and "10 replicas" in note
    assert [(line.rank_range, line.order_status) for line in one.entrants] == [("—", "open"), ("—", None)]
    assert all(line.stderr and not line.significantly_ahead_of for line in one.entrants)
    (note,) = reader_notes(compute_standings(field, [batch_of(*legs[:4])]))
    assert note.startswith("4 replicas: places are wide, and ± is too narrow for some bots that learn;")
    found = compute_standings(field, [batch_of(*legs)])
    assert reader_notes(found) == [] and found.entrants[0].significantly_ahead_of == ("bob",)
