"""Elo points: against closed forms and simulated fields. Who is behind whom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest

from engine.kernel.blocks import block_sizes
from tests.standings.test_standings import batch_of, field_of, leg_of
from tournament.standings.bradley_terry import ELO, Wins, fitted
from tournament.standings.ratings import elo
from tournament.standings.standings import compute_standings
from tournament.store.legs import Legs

Floats = npt.NDArray[np.float64]
BLOCKS = 32


def wins_of(names: Sequence[str], won: Mapping[tuple[str, str], Floats], drawn: float = 0.0) -> Wins:
    """Legs of 320 sessions, ten in a block, of which x won this many."""
    field = field_of(names)
    legs = [leg_of(field, x, y, np.repeat(of, 10)) for (x, y), of in won.items()]
    rows = np.array(list(won.values()))
    return Wins(Legs.from_results(legs), rows, np.full_like(rows, drawn))


def test_strengths_of_pair_and_chain_have_closed_form() -> None:
    """Odds of two are those of their wins and a drawn session. Strengths in a chain add up."""
    ratings, errors, freedom = fitted(["x", "y"], wins_of(["x", "y"], {("x", "y"): np.full(BLOCKS, 7.0)}))
    # Half of the strength d apart each: 224 of 320, and half a session: 224.5 = 320 σ(d) + σ(d/2).
    apart = (ratings[0] - ratings[1]) / ELO
    assert 320 / (1 + math.exp(-apart)) + 1 / (1 + math.exp(-apart / 2)) == pytest.approx(224.5)
    assert errors == pytest.approx([0, 0], abs=1e-9) and freedom.tolist() == [BLOCKS - 1] * 2  # all blocks are the same
    with_draws = wins_of(["x", "y"], {("x", "y"): np.full(BLOCKS, 5.0)}, 4.0)
    assert fitted(["x", "y"], with_draws)[0] == pytest.approx(ratings)
    assert with_draws.totals(["x", "y"]) == [(160, 128, 32), (32, 128, 160)]
    lopsided, *_ = fitted(["x", "y"], wins_of(["x", "y"], {("x", "y"): np.full(BLOCKS, 10.0)}))
    assert 500 < lopsided[0] - lopsided[1] < 3000  # A bot that won all has a finite strength.
    chain = {("x", "y"): np.full(BLOCKS, 7.5), ("y", "z"): np.full(BLOCKS, 7.5)}
    strong, *_ = fitted(["x", "y", "z"], wins_of(["x", "y", "z"], chain))
    assert strong == pytest.approx([ELO * math.log(3), 0, -ELO * math.log(3)], rel=0.02, abs=1e-6)


def test_equal_ratings_stay_equal_despite_rounding() -> None:
    """Four bots lose the same to six others, in payoffs that are rounded and added in different orders."""
    equals, others = ["ann", "bob", "cat", "dan"], [f"other_{number}" for number in range(6)]
    field, chance = field_of([*equals, *others]), np.random.default_rng(6)
    payoffs = chance.random(350)
    legs = [leg_of(field, other, one, chance.permutation(payoffs)) for one in equals for other in others]
    legs += [
        leg_of(field, x, y, np.zeros(350)) for kind in (equals, others) for x, y in itertools.combinations(kind, 2)
    ]
    standings = compute_standings(field, [batch_of(*legs)])
    won, drawn = np.zeros((2, len(legs), BLOCKS))
    won[:24] = [chance.permutation(np.repeat([5.0, 7.0, 8.0, 9.0], BLOCKS // 4)) for _ in range(24)]
    drawn[24:] = block_sizes(350)
    rated = elo(standings, Wins(Legs.from_results(legs), won, drawn))
    assert [(line.rank, line.name) for line in rated[6:]] == [(7, name) for name in equals]
