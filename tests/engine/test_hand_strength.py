"""The evaluator against all hands, another evaluator, and the rules' own examples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice

import numpy as np
import pytest
from phevaluator import evaluate_cards

from engine.games.holdem_training.hand_strength import strengths
from tests.oracles.poker_hands import card, cards_of, worth_of_five, worth_of_seven


def rank_multisets(rank: int = 0, left: int = 7) -> Iterator[tuple[int, ...]]:
    """Every choice of `left` cards by rank alone, from `rank` up, at most four of a rank."""
    if rank == 13:
        if left == 0:
            yield ()
        return
    for count in range(min(4, left) + 1):
        for rest in rank_multisets(rank + 1, left - count):
            yield (rank,) * count + rest


def hands_without_flush() -> list[list[int]]:
    """A hand for each of the 49,205 multisets of ranks.

    Suits go round, so that none has more than two cards, and cards of equal rank differ.
    """
    return [[13 * (place % 4) + rank for place, rank in enumerate(ranks)] for ranks in rank_multisets()]


def hands_with_flush() -> list[list[int]]:
    """A hand for each suit and each five, six or seven ranks of it; the other cards are the highest of the next suit.

    They would make pairs and longer straights, which must not count.
    """
    hands = []
    for suit in range(4):
        others = [13 * ((suit + 1) % 4) + rank for rank in (12, 11)]
        for size in (5, 6, 7):
            for ranks in combinations(range(13), size):
                hands.append([13 * suit + rank for rank in ranks] + others[: 7 - size])
    return hands


def test_agrees_with_another_evaluator_on_all_hands() -> None:
    """Order and ties of all hands there are: a class of ours is one of theirs, and the order is the same.

    Seven cards are worth what their ranks say, or with five of a suit that suit's ranks.
    """
    hands = hands_without_flush() + hands_with_flush()
    assert len(hands) == 49_205 + 4 * 4_719
    # Phevaluator numbers classes, the best 1; its cards are 4 · rank + suit.
    classes = [evaluate_cards(*[4 * (card % 13) + card // 13 for card in hand]) for hand in hands]
    pairs = set(zip(strengths(np.array(hands, dtype=np.uint8)).tolist(), classes))
    ours, theirs = zip(*sorted(pairs))
    assert list(ours) == list(range(4824))
    assert list(theirs) == sorted(set(theirs), reverse=True)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("5s 6s 7s 8s 9s", "As 2s 3s 4s 5s"),
        ("As 2s 3s 4s 5s", "2s 4s 5s 6s 7s"),
        ("3s 3h 8s 8h Kd", "5s 5h 7s 7h Ad"),
        ("Qs Qh Qd Ts Th", "Js Jh Jd As Ah"),
        ("Ac 2s 3s 4s 5s", "Ks Kh Kd Qc Jc"),
        ("2c 3c 4c 5c 7c", "Ts Jh Qd Kc As"),
    ],
)
def test_the_rules_examples(better: str, worse: str) -> None:
    """Five cards are given; the other two are every seventh pair under which those remain the best."""
    hands = []
    for five in (cards_of(better), cards_of(worse)):
        worth = worth_of_five(card(number) for number in five)
        others = islice(combinations(sorted(set(range(52)) - set(five)), 2), 0, None, 7)
        sevens = [[*five, *two] for two in others]
        kept = [seven for seven in sevens if worth_of_seven(card(number) for number in seven) == worth]
        assert kept
        hands.append(strengths(np.array(kept, dtype=np.uint8)))
    assert hands[0].min() > hands[1].max()


def test_refuses_what_is_not_a_hand() -> None:
    with pytest.raises(ValueError, match="seven cards"):
        strengths(np.zeros((2, 6), dtype=np.uint8))
    with pytest.raises(ValueError, match="0 to 51"):
        strengths(np.array([[0, 1, 2, 3, 4, 5, 52]], dtype=np.uint8))
