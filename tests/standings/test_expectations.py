"""Simple bots have expectations in closed form; millions of games at full speed must agree with them.

Conventions: a is A's card, b is B's, s the bet. Cards are taken for continuous; equal ones
have a chance of 2⁻²⁴ and move a mean by less than 10⁻⁵. In every game the cards are new, so
the gains of games that are chosen by what came before them (by stacks, say) are independent.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support import build_folder, play_built, poker_settings
from tournament.artifacts.bot import Entrant

pytestmark = pytest.mark.statistical

Floats = NDArray[np.float64]

BOTS = {
    # A's way of betting, then B's way of calling
    "passer": ("0", "1"),
    "stealer": ("10", "0"),
    "maniac": ("50", "1"),
    "steady": ("10", "1"),
    "loose_pair": ("bot->card > 0.3f ? 10 : 0", "bot->card > 0.5f"),
    "tight_pair": ("bot->card > 0.6f ? 10 : 0", "bot->card > 0.4f"),
    "balanced": ("bot->card < 1.0f / 9 || bot->card > 7.0f / 9 ? 20 : 0", "bot->card > 5.0f / 9"),
    "curious": ("bot->card < 1.0f / 9 || bot->card > 7.0f / 9 ? 20 : 0", "bot->card > 1.0f / 3"),
    "straight": ("50. * bot->card - 25.", "1"),
    "echo": ("bot->opponentsPreviousCard > 0.25f ? 10 : 0", "1"),
    "gambler": ("rand() < RAND_MAX / 4 ? 10 : 0", "1"),
}


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    sources = {
        f"{name}.c": f"Money a(const Bot *bot) {{ return {bet}; }}\n"
        f"int b(const Bot *bot, const Money aBet) {{ return {call}; }}\n"
        for name, (bet, call) in BOTS.items()
    }
    return build_folder(tmp_path_factory.mktemp("bots"), sources)


@dataclass(frozen=True)
class Played:
    """The columns of a played leg that matter here."""

    x_is_a: NDArray[np.bool_]
    gain: Floats
    bet: Floats
    folded: NDArray[np.bool_]
    lower_money: Floats
    session_games: Floats
    x_gain: Floats
    x_points: Floats


Play = Callable[[str, str], Played]


@pytest.fixture(scope="module")
def play(bots: dict[str, Entrant]) -> Play:
    def play_pair(x: str, y: str, sessions: int = 30_000) -> Played:
        settings = poker_settings(sessions=sessions)
        result, sink = play_built(bots[x], bots[y], settings=settings, deals_key=20_200_819)
        assert result.faults == ()
        return Played(
            x_is_a=sink.column("games.x_is_a") == 1,
            gain=sink.column("games.a_gain"),
            bet=sink.column("games.bet"),
            folded=sink.column("games.folded") == 1,
            lower_money=np.minimum(sink.column("games.a_money"), sink.column("games.b_money")),
            session_games=sink.column("sessions.games"),
            x_gain=sink.column("sessions.x_gain"),
            x_points=sink.column("sessions.x_points"),
        )

    return play_pair


def assert_mean(values: Floats, expected: float, what: str, at_least: int = 5_000) -> None:
    """The mean of independent values is the expected one, within 4 standard errors."""
    assert values.size >= at_least, what
    error = values.std() / math.sqrt(values.size)
    assert abs(values.mean() - expected) <= 4 * error + 1e-12, (
        f"{what}: {values.mean():.5f} ± {error:.5f}, expected {expected:.5f}"
    )


def line_value(t: float, c: float, s: float, u: float = 0.0) -> float:
    """A's mean gain when A bets s with cards below u and above t, u ≤ c and u ≤ t, and B calls above c.

    Passing, a from u to t: A wins 10 with chance a, else loses 10:
        ∫ 10(2a − 1) da = 10((t² − t) − (u² − u)).
    Betting, chance u + 1 − t, B folds with chance c: 10 c (u + 1 − t).
    A bluff (a < u ≤ c) that is called, chance u(1 − c), loses 10 + s.
    A bet with a > t that is called pays (10 + s) times P(b < a) − P(b > a), over b > c:
        t ≥ c: ∫ from t to 1 of (a − c) − (1 − a) da = (1 − t²) − (1 + c)(1 − t) = (1 − t)(t − c);
        t < c: a from t to c loses to every caller, −(c − t)(1 − c); above c both are alike: 0.
    """
    passing = 10 * ((t * t - t) - (u * u - u))
    folding = 10 * c * (u + 1 - t)
    bluffing = -(10 + s) * u * (1 - c)
    called = (10 + s) * ((1 - t) * (t - c) if t >= c else -(c - t) * (1 - c))
    return passing + folding + bluffing + called


@pytest.mark.parametrize(
    ("x", "y", "x_line", "y_line"),
    [
        # A's line t and B's line c of each bot; one pair of lines with t ≥ c, one with t < c either way.
        ("loose_pair", "tight_pair", (0.3, 0.5), (0.6, 0.4)),
        ("tight_pair", "tight_pair", (0.6, 0.4), (0.6, 0.4)),
        ("loose_pair", "loose_pair", (0.3, 0.5), (0.3, 0.5)),
    ],
)
def test_betting_and_calling_above_a_line(
    play: Play, x: str, y: str, x_line: tuple[float, float], y_line: tuple[float, float]
) -> None:
    """Bets of 10 are never cut: who plays has at least the ante. Against both lines the value is line_value."""
    played = play(x, y)
    as_a, as_b = played.x_is_a, ~played.x_is_a
    assert_mean(played.gain[as_a], line_value(x_line[0], y_line[1], 10), "x is A")
    assert_mean(played.gain[as_b], line_value(y_line[0], x_line[1], 10), "y is A")
    assert_mean((played.bet[as_a] > 0).astype(np.float64), 1 - x_line[0], "x bets")
    assert_mean(played.folded[as_a & (played.bet > 0)].astype(np.float64), y_line[1], "y folds to a bet")


def test_balanced_bluffs_earn_the_value_of_the_game(play: Play) -> None:
    """Von Neumann's solution for a pot of 20 and a bet of 20: u = 1/9, t = 7/9, c = 5/9.

    B at c is indifferent when bluffs are to bets as 20 to 60: u/(u + 1 − t) = 1/3. A at t when
    half the callers are lower: t = (1 + c)/2. A at u when stealing is worth the showdown:
    20c − 20(1 − c) = 20u. From these (1 − c)/4 = 2c − 1, c = 5/9. The value by line_value:
    10(−14/81 + 8/81) + 150/81 − 120/81 + 120/81 = 90/81 = 10/9, and the same for every c from u to t.
    """
    value = 10 / 9
    for c in (5 / 9, 1 / 3):
        assert math.isclose(line_value(7 / 9, c, 20, u=1 / 9), value)
    played = play("balanced", "curious")
    full = played.lower_money >= 20  # else the bet is cut
    for x_is_a in (True, False):  # called above 1/3, then above 5/9
        assert_mean(played.gain[full & (played.x_is_a == x_is_a)], value, f"x is A: {x_is_a}")


def test_bets_in_proportion_to_the_card(play: Play) -> None:
    """A's bet is ⌊50a − 25⌋ above a half, cut to whole dollars towards 0: k from (25 + k)/50 to (26 + k)/50.

    B calls all, so A's mean gain is the sum over k = 0…24 of (10 + k)∫(2a − 1)da, the first
    integral from 0: ∫ from p to q is (q² − q) − (p² − p).
    """

    def strip(p: Fraction, q: Fraction) -> Fraction:
        return (q * q - q) - (p * p - p)

    value = 10 * strip(Fraction(0), Fraction(26, 50))
    value += sum((10 + k) * strip(Fraction(25 + k, 50), Fraction(26 + k, 50)) for k in range(1, 25))
    played = play("straight", "straight")
    full = played.lower_money >= 24
    assert_mean(played.gain[full], float(value), "gain")
    for k in (1, 12, 24):
        assert_mean((played.bet[full] == k).astype(np.float64), 1 / 50, f"bets of {k}")


def test_the_previous_card_is_independent_of_this_game(play: Play) -> None:
    """x bets 10 when the last card shown was above 1/4: ±20 with chance 3/4, ±10 with 1/4.

    Nobody folds, so a card is shown in all games but the first: mean 0, mean square 325.
    """
    played = play("echo", "passer")
    as_a = played.x_is_a.copy()
    assert played.bet[0] == 0, "nothing is known in the first game"
    as_a[0] = False
    assert_mean((played.bet[as_a] == 10).astype(np.float64), 3 / 4, "bets")
    assert_mean(played.gain[as_a], 0, "gain")
    assert_mean(played.gain[as_a] ** 2, 325, "squared gain")


def test_rand_is_uniform(play: Play) -> None:
    """A bet in every fourth game, with no regard to the last game's."""
    played = play("gambler", "passer")
    bets = (played.bet[played.x_is_a] > 0).astype(np.float64)
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
    count = played.session_games.size
    seen = Counter(zip(played.session_games.astype(int).tolist(), played.x_gain.astype(int).tolist()))
    assert set(seen) <= set(odds)
    for outcome, chance in odds.items():
        expected = float(chance)
        error = math.sqrt(expected * (1 - expected) / count)
        # About 50 outcomes and 4 standard errors; the rare ones have long tails.
        assert abs(seen[outcome] / count - expected) <= 4 * error + 3 / count, outcome
    assert_mean(played.session_games, float(sum(games * chance for (games, _), chance in odds.items())), "games")
    assert_mean(played.x_points, 0, "points")
    squares = float(sum(Fraction(gain * gain, games) * chance for (games, gain), chance in odds.items()))
    assert_mean(played.x_points**2, squares, "squared points")
