"""Matches of several replicas: scores are means over them, errors their own spread."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tests.standings.blocks import share_variances
from tests.standings.test_standings import batch_of, field_of, leg_of
from tournament.standings.standings import compute_standings


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
