"""Win and tie rates by sampling against exact counts."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from engine.games.holdem_training.hand_strength import strengths
from engine.games.holdem_training.preflop_outcomes import OUTCOMES, SHOWDOWNS
from engine.games.holdem_training.rates import RateSampler
from tests.oracles.deals import key_of
from tests.oracles.poker_hands import cards_of


def exact(alice: list[int], board: list[int]) -> tuple[float, float]:
    """Return Alice's shares of wins and ties over all holdings of Bob and boards."""
    unseen = sorted(set(range(52)) - set(alice) - set(board))
    dealt = [
        (*rest, *bob)
        for rest in combinations(unseen, 5 - len(board))
        for bob in combinations([card for card in unseen if card not in rest], 2)
    ]
    boards = [[*board, *cards[:-2]] for cards in dealt]
    mine, other = (
        strengths(np.array([[*own, *shown] for own, shown in zip(holes, boards)], np.uint8)).astype(int)
        for holes in ([alice] * len(dealt), [cards[-2:] for cards in dealt])
    )
    return float((mine > other).mean()), float((mine == other).mean())


def check_share(share: float, wanted: float, samples: int) -> None:
    assert abs(share - wanted) <= 4 * math.sqrt(wanted * (1 - wanted) / samples)


@pytest.mark.parametrize(
    ("alice", "board"),
    [("2c 3d", "Th Jh Qh Kh Ah"), ("5h 5c", "8s 8d Kc Ks 2h"), ("Jh Th", "9h 8h 2c 3s")],
)
@pytest.mark.statistical
def test_rates_converge_to_the_exact_equities(alice: str, board: str) -> None:
    samples = 400_000
    own, shown = cards_of(alice), cards_of(board)
    places = [*own, None, None, *shown, *[None] * (5 - len(shown))]
    wins, ties = RateSampler(key_of(5)).rates(places, samples)
    win, tie = exact(own, shown)
    check_share(wins / samples, win, samples)
    check_share(ties / samples, tie, samples)


def test_rates_with_unknown_cards_are_right() -> None:
    """Mirrored cards have mirrored rates, and unknown cards even ones."""
    samples = 400_000
    wins, ties = RateSampler(key_of(7)).rates([None, None, *cards_of("Ah As"), *[None] * 5], samples)
    check_share((samples - wins - ties) / samples, 1781508418 / (1225 * 1712304), samples)
    wins, ties = RateSampler(key_of(7)).rates([None] * 9, samples)
    check_share((wins + ties / 2) / samples, 0.5, samples)
    board = cards_of("As 7c 2d 9h 4s")
    wins, ties = RateSampler(key_of(7)).rates([cards_of("Ah")[0], None, *cards_of("Kd Kc"), *board], samples)
    assert wins + ties == samples, "a pair of aces always"


def test_rate_queries_are_independent() -> None:
    """Answers depend on the number of earlier samplings alone, and on no other sampler."""
    key = bytes(range(32))
    first, other = RateSampler(key), RateSampler(key)
    for card, samples in ((3, 7), (50, 300), (2, 1)):
        first.rates([card, 51, *[None] * 7], samples)
        other.rates([None] * 9, 1)
        RateSampler(key).rates([card, 51, *[None] * 7], samples)
    first.compare(range(9))
    with pytest.raises(ValueError):
        first.rates([0] * 9, 100)
    places = [0, 1, *[None] * 7]
    drawn = [first.rates(places, 200) for _ in range(3)]
    assert drawn == [other.rates(places, 200) for _ in range(3)] and len(set(drawn)) > 1
    assert RateSampler(key_of(4)).rates(places, 200) not in drawn


def test_table_of_preflop_outcomes_is_fair() -> None:
    """Half of all showdowns are won, and pairs of aces and kings win as often as published."""
    sizes = [6 if number % 14 == 0 else 4 if number // 13 > number % 13 else 12 for number in range(169)]
    assert sum(size * (2 * wins + ties) for size, (wins, ties) in zip(sizes, OUTCOMES)) == 1326 * SHOWDOWNS
    assert OUTCOMES[168][0] == 1781508418
    assert OUTCOMES[154][0] / SHOWDOWNS == pytest.approx(0.8212, abs=5e-5)
