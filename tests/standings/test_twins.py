"""Identical bots, each entered twice, played in memory: how often they are told apart. benchmarks.ranking has more."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.ranking_twins import STICKS, Play, figures_of, twins
from tests.built_in import VON_NEUMANN_POKER

BOTS = ("copycat", "kuhn3", "maniac", "naive", "tight_rock")
TOURNAMENTS = 12


@pytest.fixture(scope="module")
def play() -> Play:
    """Some shipped bots, one that learns, and one that sticks to what its first card told it."""
    sticks = {f"sticks_{number}.c": STICKS for number in (1, 2)}
    rehearsal = twins(VON_NEUMANN_POKER, BOTS, (), more=sticks, only=BOTS, sessions=64)
    return Play(rehearsal.contest, rehearsal.field, cache(rehearsal.played))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize(("replicas", "least_sure"), [(1, 0.0), (2, 0.2)])
def test_twins_are_seldom_told_apart_and_others_often(play: Play, replicas: int, least_sure: float) -> None:
    truth = np.mean([play.scores(play.ranked(play.replica(number))) for number in range(48)], axis=0)
    rankings = (play.ranked(play.tournament(number, replicas)) for number in range(TOURNAMENTS))
    found = figures_of(rankings, play.names, truth)
    assert found.told <= 2, "of 12 with a probability of 1 in 20 more have one in 50"
    assert found.sure >= least_sure and (replicas > 1 or found.sure == 0)
    if replicas > 1:
        assert found.covered.mean() > 0.9
