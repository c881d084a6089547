"""Values of servers against the plain Python oracle, and climbing of servers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from engine.games.two_card_draw.climbing import HillClimber, random_strategy
from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tests.engine.test_two_card_draw import oracle_server
from tests.oracles.two_card_draw import best_value
from tournament.contests.two_card_draw.strategy_file import situation_labels

Rows = npt.NDArray[np.float64]


def climbed(seed: int, bet1: int, bet2: int, steps: int) -> Rows:
    climber = HillClimber(random_strategy(seed), bet1, bet2)
    climber.climb(seed, 0, steps)
    return climber.strategy()


@pytest.mark.parametrize(("seed", "bet1", "bet2", "steps"), [(2, 1, 3, 4_000), (3, 5, 15, 20_000)])
def test_values_are_the_oracles(seed: int, bet1: int, bet2: int, steps: int) -> None:
    rows = climbed(seed, bet1, bet2, steps)
    server = oracle_server(rows)
    evaluator = StrategyEvaluator(rows, bet1, bet2)
    assert -evaluator.value() == pytest.approx(best_value(server, bet1, bet2), abs=1e-12)
    assert -evaluator.trembling_value() == pytest.approx(best_value(server, bet1, bet2, 0.001), abs=1e-12)
    assert evaluator.trembling_value() > evaluator.value()


def test_climbing_equals_full_evaluation_and_never_falls() -> None:
    """Step by step the kept value is that of an evaluation, and only the row of the step's situation changes.

    After the last situation of the file the steps begin with the first one again.
    """
    climber = HillClimber(random_strategy(11), 3, 7)
    value, before = climber.trembling_value(), climber.strategy().copy()
    allowed = random_strategy(0) > 0
    changed = set()
    for step in [*range(900), *range(4_000, 4_500)]:
        kept = climber.climb(11, step, 1)
        now = climber.trembling_value()
        assert (now > value) == (kept == 1)
        assert now >= value
        rows = climber.strategy()
        differ = np.flatnonzero((rows != before).any(axis=1)).tolist()
        assert differ == ([step % 4155] if kept else [])
        changed.update(differ)
        if kept:
            assert now == pytest.approx(StrategyEvaluator(rows, 3, 7).trembling_value(), abs=1e-12)
            assert np.all(rows[~allowed] == 0)
        value, before = now, rows.copy()
    assert len(changed) > 150


def oracle_allowed(label: str) -> set[int]:
    """Return the actions of a file's line that the statement's five constraints and the rules allow."""
    kind, low, high, *rest = label.split()
    pair, fours, four = low == high, low == high == "4", high == "4"
    actions = {0, 1, 2}
    if kind == "DRAW":
        if fours:
            return {0}
        if four:
            actions.discard(2)
        if pair:
            actions.discard(1)
        return actions
    bets = int(rest[0] if kind == "ROUND1" else rest[1])
    if fours or bets == 0:
        actions.discard(0)
    if bets == 3:
        actions.discard(2)
    elif fours and kind == "ROUND2":
        return {2}
    return actions


@pytest.mark.parametrize("steps", [0, 30_000])
def test_constraints_hold_after_any_number_of_steps(steps: int) -> None:
    rows = climbed(3, 4, 9, steps)
    for label, row in zip(situation_labels(), rows.tolist()):
        assert {action for action in range(3) if row[action] > 0} <= oracle_allowed(label), label
        assert sum(row) == 1
    expected = [[action in oracle_allowed(label) for action in range(3)] for label in situation_labels()]
    assert (random_strategy(0) > 0).tolist() == expected


@pytest.mark.statistical
def test_random_strategy_is_uniform_on_simplex() -> None:
    """Three actions each have the mean 1/3 and the variance 1/18, and the least of them has the mean 1/9."""
    rows = np.concatenate([random_strategy(seed) for seed in range(40)])
    allowed = np.tile(random_strategy(0) > 0, (40, 1))
    three, two = rows[allowed.sum(axis=1) == 3], rows[allowed.sum(axis=1) == 2]
    count = len(three)
    assert np.abs(three.mean(axis=0) - 1 / 3).max() < 4 * np.sqrt(1 / 18 / count)
    assert np.abs(three.var(axis=0) - 1 / 18).max() < 0.002
    assert three.min(axis=1).mean() == pytest.approx(1 / 9, abs=0.001)
    larger = two.max(axis=1)
    assert larger.mean() == pytest.approx(0.75, abs=0.002)
    assert larger.var() == pytest.approx(1 / 48, abs=0.001)


def test_generated_servers_are_about_as_good_as_the_statements() -> None:
    """Examples of the statement lose 0.09 to 0.29 a hand."""
    assert -0.6 < StrategyEvaluator(climbed(2, 5, 15, 100_000), 5, 15).value() < -0.03
