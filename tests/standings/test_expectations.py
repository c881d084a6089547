"""Some expectations have a closed form; millions of games at full speed must agree with them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import GatheringDesk, build_folder, play_built, poker_settings

pytestmark = pytest.mark.statistical

Play = Callable[[str, str], GatheringDesk]
BOTS = {  # how A bets; B calls
    "passer": "0",
    "maniac": "50",
    "steady": "10",
    "gambler": "rand() < RAND_MAX / 4 ? 10 : 0",
}


@pytest.fixture(scope="module")
def play(tmp_path_factory: pytest.TempPathFactory) -> Play:
    sources = {
        f"{name}.c": f"Money a(const Bot *bot) {{ return {bet}; }}\n"
        "int b(const Bot *bot, const Money aBet) { return 1; }\n"
        for name, bet in BOTS.items()
    }
    bots = build_folder(tmp_path_factory.mktemp("bots"), sources)

    def play_pair(x: str, y: str) -> GatheringDesk:
        result, sink = play_built(bots[x], bots[y], settings=poker_settings(sessions=30_000), deals_key=20_200_819)
        assert result.faults == ()
        return sink

    return play_pair


def assert_mean(values: NDArray[np.float64], expected: float, what: str, at_least: int = 5_000) -> None:
    """The mean of independent values is the expected one, within 4 standard errors."""
    assert values.size >= at_least, what
    error = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - expected) <= 4 * error + 1e-12, (
        f"{what}: {values.mean():.5f} ± {error:.5f}, expected {expected:.5f}"
    )


def test_rand_is_uniform(play: Play) -> None:
    """A bet in every fourth game, with no regard to the last game's."""
    played = play("gambler", "passer")
    bets = (played.column("games.bet")[played.column("games.x_is_a") == 1] > 0).astype(np.float64)
    assert_mean(bets, 1 / 4, "bets")
    assert_mean(bets[1:] * bets[:-1], 1 / 16, "bets twice running")


# Whole sessions: the stacks are a Markov chain when every game is a fair coin for a stake known before.

Stake = Callable[[int], int]


def session_odds(stake: Stake) -> dict[tuple[int, int], Fraction]:
    """The chance of each (games, x's gain), when x's stack of 200 − y's goes up or down by stake(lower stack)."""
    odds: dict[tuple[int, int], Fraction] = {}
    stacks = {100: Fraction(1)}
    for games in range(1, 51):
        after: dict[int, Fraction] = {}
        for stack, chance in stacks.items():
            step = stake(min(stack, 200 - stack))
            for result in (stack + step, stack - step):
                after[result] = after.get(result, Fraction(0)) + chance / 2
        over = {stack for stack in after if games == 50 or min(stack, 200 - stack) < 10}
        for stack in over:
            odds[games, stack - 100] = after.pop(stack)
        stacks = after
    return odds


@pytest.mark.parametrize(
    ("bot", "stake"),
    [
        ("passer", lambda lower: 10),
        ("steady", lambda lower: 20),
        ("maniac", lambda lower: 10 + min(50, lower)),
    ],
)
def test_sessions_of_fair_coins(play: Play, bot: str, stake: Stake) -> None:
    """Length, gain and points of sessions against their exact odds, by enumerating the chain."""
    odds = session_odds(stake)
    assert sum(odds.values()) == 1
    played = play(bot, bot)
    games, gains, points = (played.column(f"sessions.{name}") for name in ("games", "x_gain", "x_points"))
    count = games.size
    seen = Counter(zip(games.astype(int).tolist(), gains.astype(int).tolist()))
    assert set(seen) <= set(odds)
    for outcome, chance in odds.items():
        expected = float(chance)
        error = math.sqrt(expected * (1 - expected) / count)
        # About 50 outcomes and 4 standard errors; the rare ones have long tails.
        assert abs(seen[outcome] / count - expected) <= 4 * error + 3 / count, outcome
    assert_mean(games, float(sum(length * chance for (length, _), chance in odds.items())), "games")
    assert_mean(points, 0, "points")
    squares = float(sum(Fraction(gain * gain, length) * chance for (length, gain), chance in odds.items()))
    assert_mean(points**2, squares, "squared points")
