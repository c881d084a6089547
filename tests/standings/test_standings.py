"""Rankings of legs, compared with plain sums."""

from __future__ import annotations

import hashlib
import io
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
from rich.console import Console

from engine.kernel.sums import SeatSums
from tests.standings.blocks import LegWithBlocks, leg_sums
from tournament.cli.tables import crosstable_tables
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


@pytest.mark.parametrize(("legs", "replicas"), [(1, 1), (2, 1), (3, 3), (12, 12)])
def test_where_a_game_is_not_zero_sum_each_side_has_its_own_points(legs: int, replicas: int) -> None:
    field = replace(field_of(["ann", "bob", "cat"]), settings={"duplicate": legs == 2})
    chance = np.random.default_rng(5)
    points = {pair: chance.normal(3, 2, (legs, 2, 64)) for pair in itertools.combinations(["ann", "bob", "cat"], 2)}
    played = [
        leg_of_both(field, *pair, of[leg][0], of[leg][1], leg) for pair, of in points.items() for leg in range(legs)
    ]
    standings = compute_standings(field, [batch_of(leg) for leg in played])
    for line in standings.entrants:
        own = [of[:, pair.index(line.name)] for pair, of in points.items() if line.name in pair]
        assert line.score == pytest.approx(np.sum(own) / replicas)
        expected = np.sqrt(2 * legs * 64) * 2 / replicas
        assert line.stderr is not None and (replicas == 3 or line.stderr == pytest.approx(expected, rel=0.5))
        if replicas > 1:  # The error is that of the bot's own points.
            each = [of.sum(axis=1).var(ddof=1) / replicas for of in own]
            assert line.stderr == pytest.approx(np.sqrt(np.sum(each)))
    for match in standings.matches:
        assert match.freedom == (replicas if replicas > 1 else BLOCKS) - 1
        reach = quantile(0.975, match.freedom) * (match.points_0_stderr or 0) / (64 * legs)
        assert match.ci_half_width_per_session == pytest.approx(reach, rel=1e-5)
        of = points[match.x, match.y]
        assert (match.points_0, match.points_1) == pytest.approx(tuple(of.sum(axis=(0, 2))))
        for error, side in ((match.points_0_stderr, 0), (match.points_1_stderr, 1)):
            if replicas > 1:
                assert error == pytest.approx(np.sqrt(replicas) * of[:, side].sum(axis=1).std(ddof=1))
            else:
                assert error == pytest.approx(np.sqrt(64 * legs) * 2, rel=0.5)
    rows = {(row["bot"], row["opponent"]): row for row in crosstable_values(standings)}
    assert len(rows) == 6
    for (x, y), of in points.items():
        for (one, other), side in (((x, y), 0), ((y, x), 1)):
            assert rows[one, other]["points_per_session"] == pytest.approx(of[:, side].sum() / (64 * legs))
    cells = Console(width=200, record=True, file=io.StringIO())
    cells.print(*crosstable_tables(standings, "", 200))
    shown = cells.export_text()
    assert all(f"{row['points_per_session']:+.2f}" in shown for row in rows.values())


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


def test_errors_of_a_small_spread_about_a_large_mean_are_told() -> None:
    field, chance = field_of(["ann", "bob"]), np.random.default_rng(9)
    points = 1e6 + chance.normal(0, 0.01, 6400)
    (match,) = compute_standings(field, [batch_of(leg_of(field, "ann", "bob", points))]).matches
    assert match.points_0_stderr == pytest.approx(math.sqrt(6400) * 0.01, rel=0.4)


@pytest.mark.parametrize("until", [None, Until(0.95, 4, 10), Until(0.95, 4, 64)], ids=["all", "last look", "a look"])
def test_exact_ties_stay_ties_whatever_the_rounding(until: Until | None) -> None:
    """Four bots win the same, in payoffs that are rounded and added in different orders."""
    equals, preys = ("ann", "bob", "cat", "dan"), [f"prey_{number}" for number in range(6)]
    field = field_of(["dan", "ann", "cat", "bob", *preys])
    chance = np.random.default_rng(11)
    legs: list[LegResult] = []
    payoffs = chance.random(350)

    def rounded(leg: LegResult) -> LegResult:
        own = leg.sums[0]._replace(points=leg.sums[0].points * (1 + 1e-15 * int(chance.integers(-5, 6))))
        return replace(leg, sums=(own, own.opposite()))

    for number in range(10):
        for name, prey in itertools.product(equals, preys):
            legs.append(rounded(leg_of(field, name, prey, chance.permutation(payoffs), number)))
        for kind in (equals, preys):
            legs += [leg_of(field, x, y, 0 * payoffs, number) for x, y in itertools.combinations(kind, 2)]
    lines = compute_standings(replace(field, until=until), [batch_of(*legs)]).entrants
    tied = lines[:4]
    assert len({line.score for line in tied}) > 1, "no rounding: the test tests nothing"
    assert [line.name for line in tied] == ["ann", "bob", "cat", "dan"]
    assert {(line.rank_low, line.rank_high) for line in tied} == {(1, 4)}
    # Equal in every replica: more of them would tell nothing else.
    assert {line.order_status for line in tied[:3]} == {"too_close" if until and until.max_replicas > 10 else "open"}


def test_too_few_sessions_have_no_error() -> None:
    field = field_of(["ann", "bob"])
    standings = compute_standings(field, [batch_of(leg_of(field, "ann", "bob", np.array([3.0])))])
    assert standings.matches[0].points_0_stderr is None
    assert [(line.score, line.stderr, line.ci_low, line.ci_high) for line in standings.entrants] == [
        (3.0, None, None, None),
        (-3.0, None, None, None),
    ]


def test_before_the_first_leg_all_are_at_zero() -> None:
    standings = compute_standings(field_of(["bob", "ann"]), [])
    assert [(line.name, line.rank, line.score, line.games) for line in standings.entrants] == [
        ("ann", 1, 0.0, 0),
        ("bob", 2, 0.0, 0),
    ]
    assert standings.matches == ()


def test_who_played_more_matches_so_far_is_not_ahead_for_it() -> None:
    field = field_of(["ann", "bob", "cat", "dan"])
    ones = np.ones(64)
    legs: list[LegResult] = [
        leg_of(field, "ann", "bob", ones),
        leg_of(field, "ann", "cat", ones),
        leg_of(field, "ann", "dan", -1.5 * ones),
        leg_of(field, "bob", "cat", ones),
        leg_of(field, "bob", "dan", ones),
    ]
    by_match = {"ann": 0.5 / 3, "bob": 1 / 3, "cat": -1.0, "dan": 0.25}
    lines = compute_standings(field, [batch_of(leg) for leg in legs]).entrants
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


def test_who_is_disqualified_is_told_the_fault_that_came_most_often() -> None:
    """Show the first of these, which is the cause of the later ones."""
    field = field_of(["ann", "bob", "cat", "dan"])
    legs = disqualified(field)
    place = next(number for number, leg in enumerate(legs) if leg.ended_by is not None)
    loops = [Fault(1, 0, game, "b", "ran out of fuel") for game in (1, 2)]
    ends = [Fault(1, 0, 3, "b", "used up the bank"), Fault(1, 0, 3, "b", "can't start")]
    legs[place] = replace(legs[place], faults=(Fault(0, 0, 0, "a", "another's"), *loops, *ends))
    assert lines_of(field, legs)["cat"].reason == "ran out of fuel, in b against bob, session 0, game 1"


def test_matches_with_a_disqualified_bot_count_for_nobody_and_stay_in_the_records() -> None:
    field = field_of(["ann", "bob", "cat", "dan"])
    legs = disqualified(field)
    without = [leg for leg in legs if "cat" not in leg.seats]
    lines = lines_of(field, legs)
    clean = lines_of(field_of(["ann", "bob", "dan"]), without)
    for name in ("ann", "bob", "dan"):
        assert lines[name] == clean[name]
    cat = lines["cat"]
    assert (cat.rank, cat.status, cat.faults, cat.score, cat.games) == (None, "disqualified", 4, 0.0, 0)
    assert cat.reason == "out of bounds, in b against bob, session 2, game 5"
    standings = compute_standings(field, [batch_of(leg) for leg in legs])
    assert len(standings.matches) == 6
    assert len(standings.faults) == 4
    cut_short = next(match for match in standings.matches if {match.x, match.y} == {"bob", "cat"})
    assert cut_short.points_0_stderr is None
    assert [line.name for line in standings.entrants][-1] == "cat"


def test_faults_within_what_is_allowed_are_counted_and_no_more() -> None:
    field = field_of(["ann", "bob"])
    faults = (Fault(0, 1, 1, "a", "division by zero"), Fault(1, 1, 2, "b", "out of fuel"), Fault(1, 1, 3, "b", "x"))
    lines = lines_of(field, [leg_of(field, "ann", "bob", np.ones(64), faults=faults)])
    assert [(lines[name].faults, lines[name].status) for name in ("ann", "bob")] == [(1, "ok"), (2, "ok")]


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_of_commits_does_not_matter_to_the_last_bit(chance: Any) -> None:
    field, points = tournament(["ann", "bob", "cat", "dan", "eve"], 100, 4)
    legs = [leg_of(field, x, y, p) for (x, y), p in points.items()]
    expected = compute_standings(field, [batch_of(*legs)])
    chance.shuffle(legs)
    cut = chance.randrange(1, len(legs))
    assert compute_standings(field, [batch_of(*legs[:cut]), batch_of(*legs[cut:])]) == expected


def test_a_line_says_what_one_match_can_t_show() -> None:
    field, points = tournament(["ann", "bob"], 64, 2)
    legs = [leg_of(field, "ann", "bob", points["ann", "bob"], number) for number in range(10)]
    (note,) = reader_notes(one := compute_standings(field, [batch_of(legs[0])]))
    assert note.startswith("one match of each pair: no places") and "10 replicas" in note
    assert {line.rank_range for line in one.entrants} == {"—"} and {line.order_status for line in one.entrants} == {
        "open",
        None,
    }
    (note,) = reader_notes(compute_standings(field, [batch_of(*legs[:4])]))
    assert note.startswith("4 replicas: places are wide, and ± is too narrow for some bots that learn;")
    assert reader_notes(compute_standings(field, [batch_of(*legs)])) == [], "settled"
