"""Matches of several replicas: scores are means over them, errors their own spread."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from tests.standings.blocks import LegWithBlocks, share_variances
from tests.standings.test_standings import batch_of, field_of, leg_of
from tournament.standings.standings import compute_standings

NAMES = ["ann", "bob", "cat", "dan"]
PAIRS = list(itertools.combinations(NAMES, 2))
Counts = dict[tuple[str, str], int]


def legs_of(replicas: Counts, seed: int) -> list[LegWithBlocks]:
    """Return legs with points of 1 a session for each place between the two, and luck of deals."""
    field, chance = field_of(NAMES), np.random.default_rng(seed)
    legs = []
    for number in range(max(replicas.values())):
        for x, y in PAIRS:
            points = NAMES.index(y) - NAMES.index(x) + chance.normal(0, 4, 64)
            if number < replicas[x, y]:
                legs.append(leg_of(field, x, y, points, number))
    return legs


def test_a_score_is_the_mean_over_replicas() -> None:
    replicas = dict.fromkeys(PAIRS, 2) | {("ann", "bob"): 5}
    legs = legs_of(replicas, 3)
    ranked = compute_standings(field_of(NAMES), [batch_of(*legs)])
    for line in ranked.entrants:
        expected = 0.0
        for pair in PAIRS:
            if line.name in pair:
                points = [leg.sums[0].points for leg in legs if leg.seats == pair]
                expected += (1 if line.name == pair[0] else -1) * sum(points) / len(points)
        assert line.score == pytest.approx(expected, rel=1e-12)
        assert line.points_per_session == pytest.approx(expected / (3 * 64))
        assert line.matches == 3
    assert {match.legs for match in ranked.matches} == {2, 5}


@pytest.mark.parametrize("replicas", [1, 3])
def test_the_two_legs_of_a_duplicate_match_are_one_replica(replicas: int) -> None:
    """Luck that both share with opposite signs is no error of their sum, as replicas show, and blocks of one."""
    field = replace(field_of(["ann", "bob"]), settings={"duplicate": True})
    chance = np.random.default_rng(3)
    legs, sums = [], []
    for number in range(replicas):
        luck, skill = chance.normal(0, 10, 640), chance.normal(1, 1, (2, 640))
        both = [
            leg_of(field, "ann", "bob", luck + skill[0], 2 * number),
            leg_of(field, "ann", "bob", skill[1] - luck, 2 * number + 1),
        ]
        legs += share_variances(both, 2)
        sums.append(skill.sum(axis=0))
    (match,) = (ranked := compute_standings(field, [batch_of(*legs)])).matches
    of_sessions = math.sqrt(640 * replicas) * np.std(sums, ddof=1)
    of_replicas = math.sqrt(3) * np.std([one.sum() for one in sums], ddof=1) if replicas > 1 else of_sessions
    assert (match.legs, match.sessions, ranked.entrants[0].matches) == (2 * replicas, 1280 * replicas, 1)
    assert match.points_0_stderr == pytest.approx(of_replicas, rel=1e-9 if replicas > 1 else 0.4)
    assert replicas == 1 or match.points_0_stderr < 5 * of_sessions
    assert ranked.entrants[0].stderr == pytest.approx((match.points_0_stderr or 0) / replicas)


def learners_twice(seed: int, replicas: int) -> list[LegWithBlocks]:
    """Ten bots, of each two: what one comes to think of another in its first games stays for the leg."""
    names = [f"{kind}_{number}" for kind in "abcde" for number in (1, 2)]
    field, chance = field_of(names), np.random.default_rng(seed)
    legs = []
    for number, (x, y) in itertools.product(range(replicas), itertools.combinations(names, 2)):
        first_games = chance.normal()
        legs.append(leg_of(field, x, y, ord(y[0]) - ord(x[0]) + first_games + chance.normal(0, 3, 64), number))
    return legs


@pytest.mark.statistical
@pytest.mark.parametrize("replicas", [1, 4, 10])
def test_identical_bots_are_told_apart_in_one_tournament_of_twenty_at_most(replicas: int) -> None:
    """Blocks of a leg don't show what stays for all of it: by these alone nearly every tournament tells some apart."""
    tournaments, told, sure = 60, 0, 0
    field = field_of([f"{kind}_{number}" for kind in "abcde" for number in (1, 2)])
    for seed in range(tournaments):
        lines = compute_standings(field, [batch_of(*learners_twice(seed, replicas))]).ranked
        places = {line.name: (line.rank_low or 0, line.rank_high or 0) for line in lines}
        told += any(places[f"{kind}_1"][1] < places[f"{kind}_2"][0] for kind in "abcde") or any(
            places[f"{kind}_2"][1] < places[f"{kind}_1"][0] for kind in "abcde"
        )
        sure += sum(line.order_status == "settled" for line in lines)
    assert told <= 7, "of 60 with a chance of 1 in 20 more have one in 200"
    if replicas == 10:
        assert sure > tournaments, "nothing is told apart"
