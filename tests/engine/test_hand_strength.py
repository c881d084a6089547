"""The evaluator against all hands, another evaluator, and the rules' own examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from phevaluator import evaluate_cards

from engine.games.holdem_training.hand_strength import strengths
from tests.oracles.poker_hands import cards_of


def rank_multisets(rank: int = 0, left: int = 7) -> Iterator[tuple[int, ...]]:
    """Yield all choices of `left` cards by rank alone, starting at `rank`, at most four of a rank."""
    if rank == 13:
        if left == 0:
            yield ()
        return
    for count in range(min(4, left) + 1):
        for rest in rank_multisets(rank + 1, left - count):
            yield (rank,) * count + rest


def hands_without_flush() -> list[list[int]]:
    """Return a hand for each of the 49,205 multisets of ranks.

    Suits go round, so that none has more than two cards, and cards of equal rank differ.
    """
    return [[13 * (place % 4) + rank for place, rank in enumerate(ranks)] for ranks in rank_multisets()]


def hands_with_flush() -> list[list[int]]:
    """Return a hand for each suit and each five, six or seven ranks of it.

    The other cards are the highest of the next suit. Their pairs and longer straights must not count.
    """
    hands = []
    for suit in range(4):
        others = [13 * ((suit + 1) % 4) + rank for rank in (12, 11)]
        for size in (5, 6, 7):
            for ranks in combinations(range(13), size):
                hands.append([13 * suit + rank for rank in ranks] + others[: 7 - size])
    return hands


def test_agrees_with_another_evaluator_on_all_hands() -> None:
    """Classes of equal hands are those of the other evaluator, in the same order.

    Seven cards are worth their ranks, or with five of a suit that suit's ranks.
    """
    hands = hands_without_flush() + hands_with_flush()
    assert len(hands) == 49_205 + 4 * 4_719
    # Phevaluator numbers classes, the best 1; its cards are 4 · rank + suit.
    classes = [evaluate_cards(*[4 * (card % 13) + card // 13 for card in hand]) for hand in hands]
    pairs = set(zip(strengths(np.array(hands, dtype=np.uint8)).tolist(), classes))
    ours, theirs = zip(*sorted(pairs))
    assert list(ours) == list(range(4824))
    assert list(theirs) == sorted(set(theirs), reverse=True)


# The statement's examples of five cards, each with two more that don't improve them.
@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("5s 6s 7s 8s 9s Kc Kd", "As 2s 3s 4s 5s Kc Kd"),
        ("As 2s 3s 4s 5s Kc Kd", "2s 4s 5s 6s 7s Kc Kd"),
        ("3s 3h 8s 8h Kd 2c Jc", "5s 5h 7s 7h Ad 2c Jc"),
        ("Qs Qh Qd Ts Th 2c 3d", "Js Jh Jd As Ah 2c 3d"),
        ("Ac 2s 3s 4s 5s Jh Td", "Ks Kh Kd Qc Jc 2h 3h"),
        ("2c 3c 4c 5c 7c Jh Td", "Ts Jh Qd Kc As 2h 2d"),
    ],
)
def test_statement_examples_of_hands_compare_as_given(better: str, worse: str) -> None:
    hands = np.array([cards_of(better), cards_of(worse)], dtype=np.uint8)
    first, second = strengths(hands)
    assert first > second
