"""Pairs that nothing predicts: rarely any in an honest field, and two that play together are found."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from tests.standings.test_standings import batch_of, field_of, leg_of
from tournament.standings.matches import Match, Matches
from tournament.standings.outlier_pairs import outlier_pairs
from tournament.standings.standings import Standing, Standings, compute_standings

BOTS = 8


def ranking_of(won: npt.NDArray[np.float64]) -> Standings:
    """Standings with these points per session of row against column, of a hundred sessions each."""
    size = len(won)
    pairs = [(x, y) for y in range(size) for x in range(y)]
    matches = [
        Match(number, f"bot {x}", f"bot {y}", 1, 100, 5000, 100 * won[x, y], None, -100 * won[x, y], None)
        for number, (x, y) in enumerate(pairs)
    ]
    entrants = [Standing(f"bot {number}", "c", "", rank=number + 1) for number in range(size)]
    return Standings(tuple(entrants), partial(Matches.from_matches, matches), ())


def honest(chance: np.random.Generator, freedom: float, size: int = BOTS) -> npt.NDArray[np.float64]:
    """Results by strength, and by matchups that scatter as much, with tails by the degrees of freedom."""
    strength = chance.normal(size=size)
    return strength[:, np.newaxis] - strength + np.triu(chance.standard_t(freedom, (size, size)), 1)


@pytest.mark.parametrize(("freedom", "most"), [(1e9, 0.05), (3.0, 0.1)])
def test_honest_fields_have_few_outlier_pairs(freedom: float, most: float) -> None:
    chance = np.random.default_rng(5)
    alarms = sum(bool(outlier_pairs(ranking_of(honest(chance, freedom)))) for _ in range(400))
    assert alarms / 400 < most + 2 * (most * (1 - most) / 400) ** 0.5


def test_bot_that_gives_points_to_one_is_found() -> None:
    chance = np.random.default_rng(6)
    found = 0
    for _ in range(50):
        won = honest(chance, 1e9)
        won[2, 3:] -= 20.0
        won[:2, 2] += 20.0
        assert not outlier_pairs(ranking_of(won))
        won[2, 5] -= 20.0
        (pair,) = outlier_pairs(ranking_of(won)) or (None,)
        found += (
            pair is not None and (pair.x, pair.y) == ("bot 2", "bot 5") and pair.points_per_session < pair.predicted
        )
    assert found >= 45


def test_incomplete_or_small_field_names_no_pair() -> None:
    won = np.zeros((BOTS, BOTS))
    won[0, 1] = 9.0
    ranking = ranking_of(won)
    assert [(pair.x, pair.y) for pair in outlier_pairs(ranking)] == [("bot 0", "bot 1")]
    assert not outlier_pairs(ranking_of(won[:5, :5]))
    assert not outlier_pairs(replace(ranking, find_matches=lambda: ranking.matches[:-1]))
    out = replace(ranking.entrants[1], rank=None)
    assert not outlier_pairs(replace(ranking, entrants=(ranking.entrants[0], out, *ranking.entrants[2:])))


def test_rounding_makes_no_outlier_pair() -> None:
    """Let all be even, except one pair, whose points nearly add up to nothing."""
    names = [f"bot_{number}" for number in range(BOTS)]
    field, chance = field_of(names), np.random.default_rng(1)
    payoffs = chance.random(64)
    points = chance.permutation(np.append(payoffs, -payoffs))
    legs = [leg_of(field, x, y, 0 * points) for x, y in itertools.combinations(names, 2)]
    legs[0] = leg_of(field, names[0], names[1], points)
    ranking = compute_standings(field, [batch_of(*legs)])
    assert ranking.matches[0].points_0, "no rounding: nothing is tested"
    assert not outlier_pairs(ranking)
