"""Standard errors and degrees of freedom, compared with plain loops over strata."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.sums import SeatSums
from tests.oracles import strata
from tests.standings.blocks import leg_sums
from tests.standings.test_standings import batch_of, field_of, leg_of, leg_of_both
from tournament.arrays import Floats
from tournament.standings.standings import compute_standings
from tournament.standings.student_t import quantile, quantiles, two_sided_tail
from tournament.standings.tally import tally_points
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs

NAMES = ["ann", "bob", "cat", "dan"]
PAIRS = list(itertools.combinations(NAMES, 2))


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.lists(st.integers(2, 5), min_size=6, max_size=6), st.booleans(), st.booleans())
def test_errors_and_degrees_equal_plain_loops(seed: int, replicas: list[int], zero_sum: bool, duplicate: bool) -> None:
    chance = np.random.default_rng(seed)
    field = replace(field_of(NAMES), settings={"duplicate": duplicate})
    legs: list[LegResult] = []
    matches = []
    for pair, count in zip(PAIRS, replicas):
        points = chance.normal(0, chance.exponential(3, 2), (count, 1 + duplicate, 2))
        if zero_sum:
            points[:, :, 1] = -points[:, :, 0]
        matches.append((pair, [tuple(one.sum(axis=0).tolist()) for one in points]))
        for replica, number in np.ndindex(count, 1 + duplicate):
            of_x, of_y = points[replica, number][:, np.newaxis]
            legs.append(leg_of_both(field, *pair, of_x, of_y, (1 + duplicate) * replica + number))
    standings = compute_standings(field, [batch_of(*legs)])
    measured = standings.measured
    names = [line.name for line in standings.ranked]
    for row, name in enumerate(names):
        variance, freedom = strata.of_score(name, matches)
        assert standings.ranked[row].stderr == pytest.approx(math.sqrt(variance))
        assert measured.freedom[row] == pytest.approx(freedom)
        assert measured.ci_half_width[row] == pytest.approx(quantile(0.975, freedom) * math.sqrt(variance) / 3)
        for other, behind in enumerate(names):
            if other != row:
                variance, freedom = strata.of_difference(name, behind, matches)
                assert measured.differences.variances[row, other] == pytest.approx(variance / 9)
                assert measured.differences.freedom[row, other] == pytest.approx(freedom)
    for match, (_, each) in zip(sorted(standings.matches, key=lambda one: PAIRS.index((one.x, one.y))), matches):
        variance, freedom = strata.of_mean([x - y for x, y in each])
        assert match.lead_stderr == pytest.approx(len(each) * math.sqrt(variance)) and match.freedom == freedom


def test_very_large_field_is_ranked_by_sorted_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sorting finds what comparing each pair of intervals does, and no more than a test of each pair."""
    field, chance = field_of([f"bot_{number}" for number in range(9)]), np.random.default_rng(6)
    strength = np.array([9.0, 9, 6, 6, 6, 3, 1, 0, 0])
    legs = [
        leg_of(field, f"bot_{x}", f"bot_{y}", chance.normal(strength[x] - strength[y], 6, 4), number)
        for x, y in itertools.combinations(range(9), 2)
        for number in range(4)
    ]
    tested = compute_standings(field, [batch_of(*legs)])
    monkeypatch.setattr("tournament.standings.settled_order.MAX_PAIRED", 8)
    lines = compute_standings(field, [batch_of(*legs)])
    scores, measured = lines.measured.scores, lines.measured
    wide = quantiles(1 - 0.05 / 2 / 9, measured.freedom) * measured.stderr
    ahead = (scores - wide)[:, np.newaxis] > scores + wide
    assert 8 < ahead.sum() < 36
    for row, (line, before) in enumerate(zip(lines.ranked, tested.ranked)):
        assert line.name == before.name and line.significantly_ahead_of == ()
        assert line.rank_low is not None and line.rank_high is not None and before.rank_low and before.rank_high
        assert line.rank_low <= 1 + ahead[:, row].sum() and line.rank_high >= 9 - ahead[row].sum()
        assert line.rank_low <= before.rank_low and line.rank_high >= before.rank_high
    one = compute_standings(field, [batch_of(*(leg for leg in legs if not leg.number))])
    assert {line.rank_range for line in one.ranked} == {"—"}


def test_versions_are_compared_opponent_by_opponent() -> None:
    """Both meet the same deals. With one replica the error comes from four opponents or more."""
    chance = np.random.default_rng(4)
    opponents = [f"bot_{number}" for number in range(5)]
    field = field_of(["now", "then", *opponents])
    deals, own = chance.normal(0, 50, (5, 3)), chance.normal(0, 1, (2, 5, 3))
    for replicas in (1, 3):
        legs = [
            leg_of(field, name, opponent, np.array([deals[number, replica] + own[version, number, replica]]), replica)
            for version, name in enumerate(("now", "then"))
            for number, opponent in enumerate(opponents)
            for replica in range(replicas)
        ]
        tally = tally_points(["now", "then"], Legs.from_results(legs).in_order(), 1, opponents)
        apart = (own[0] - own[1])[:, :replicas]
        if replicas > 1:
            told = strata.summed([strata.of_mean(one.tolist()) for one in apart])
        else:
            told = strata.of_mean((apart[:, 0]).tolist())
        between = tally.measured.differences
        scale = 25 if replicas > 1 else 1
        assert between.means[0, 1] == pytest.approx(apart.mean())
        assert between.variances[0, 1] == pytest.approx(told[0] / scale)
        assert between.freedom[0, 1] == pytest.approx(told[1])
        few = tally_points(["now", "then"], Legs.from_results(legs).in_order(), 1, opponents[:3]).measured.differences
        assert (few.freedom[0, 1] > 0) == (replicas > 1)


def test_leg_has_variance_and_covariance_of_its_blocks() -> None:
    chance = np.random.default_rng(5)
    blocks, luck = chance.normal(size=(2, 32)), chance.normal(size=32)
    sizes = np.diff(-(-np.arange(33) * 40 // 32))

    def seats(blocks: Floats) -> list[SeatSums]:
        return [SeatSums(float(own.sum()), 7.0, tuple(own.tolist())) for own in blocks]

    apart = blocks - sizes * blocks.sum(axis=1, keepdims=True) / 40
    products = (apart @ apart.T) * 32 / 31
    x, y = leg_sums(seats(blocks), 40)
    assert x == pytest.approx((blocks[0].sum(), 7.0, 0.0, products[0, 0], products[0, 0], products[0, 1]))
    assert y == pytest.approx((blocks[1].sum(), 7.0, 0.0, products[1, 1], products[1, 1], products[0, 1]))
    x, y = leg_sums(seats(np.stack([blocks[0], -blocks[0]])), 40, luck)
    left = blocks[0] - luck - sizes * (blocks[0] - luck).sum() / 40
    assert x.luck == pytest.approx(luck.sum()) and x.adjusted_variance == pytest.approx((left @ left) * 32 / 31)
    assert x.covariance == -x.variance and y == x.opposite()
    for length in (0, 1):
        assert leg_sums(seats(blocks), length)[0] == LegSums(float(blocks[0].sum()), 7.0)
    few = np.zeros((2, 32))
    few[:, [0, 16]] = [[3.0, 1.0], [0.0, 0.0]]
    assert leg_sums(seats(few), 2)[0].variance == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("t", "freedom", "tail"),
    [
        # By the trapezium rule.
        *((1.0, 1, 0.5), (2.0, 2, 0.18350342), (2.5, 9, 0.03386183), (2.5, 9.9, 0.03386183)),
        *((2.0, 10, 0.07338803), (4.0, 12.5, 0.00162906), (3.0, 31, 0.00528875), (5.0, 500, 7.94642e-7)),
        *((2.0, 0, 1.0), (math.inf, 4, 0.0), (math.inf, 40, 0.0), (0.0, 40, 1.0), (1.96, math.inf, 0.04999579)),
    ],
)
def test_tails_of_students_t_are_integrals(t: float, freedom: float, tail: float) -> None:
    assert float(two_sided_tail(t, freedom)) == pytest.approx(tail, rel=1e-5, abs=1e-9)
