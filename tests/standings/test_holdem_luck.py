"""Hold'em training corrected for luck: controls as in plain Python, mean zero, and little variance left."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.holdem_training.luck import CONTROLS, add_hands
from tests.built_in import HOLDEM_TRAINING
from tests.oracles.holdem_luck import controls, next_shuffle
from tests.oracles.holdem_training import (
    ALICE,
    BOB,
    CALLED,
    CHECKED,
    FOLDED,
    NOBODY,
    Hand,
    chance_of_call,
)
from tournament.contests.holdem_training.rules import LUCK_COLUMNS, Settings

Games = dict[str, npt.NDArray[Any]]


def columns_of(hands: Sequence[Hand]) -> Games:
    rows = [(*hand.cards, *hand.raises, *hand.answers, hand.folded_by, hand.profit) for hand in hands]
    values = np.array(rows).T
    return {name: row.astype(np.int8 if name == "profit" else np.uint8) for name, row in zip(LUCK_COLUMNS, values)}


def found_controls(hand: Hand, shuffle: int) -> list[float]:
    """Return the controls of one hand that isn't a session's first."""
    *columns, profit = columns_of([hand]).values()
    moments = np.zeros((CONTROLS + 2, CONTROLS + 2))
    after = add_hands(columns, profit, 1, 2, shuffle, np.zeros(CONTROLS), moments, np.zeros(1))
    assert after == next_shuffle(hand.cards, shuffle)
    assert (moments[0, 0], moments[0, -1]) == (1, hand.profit)
    return [float(value) for value in moments[0, 1:-1]]


@st.composite
def any_hand(draw: st.DrawFn) -> Hand:
    """Return a hand that the rules allow, with any profit, because no control depends on it."""
    cards = draw(st.permutations(range(52)))[:9]
    raises, answers, stack, folder = [0, 0, 0, 0], [0, 0, 0, 0], 100, NOBODY
    for round_ in range(4):
        what = draw(st.sampled_from(["check", "fold", "called", "called", "not called"]))
        if what == "fold":
            folder = ALICE
            break
        if what == "check" or stack == 0:
            answers[round_] = CHECKED
            continue
        raises[round_] = draw(st.integers(1, stack))
        answers[round_] = CALLED if what == "called" else FOLDED
        stack -= raises[round_]
        if what == "not called":
            folder = BOB
            break
    return Hand(0, 0, 0, tuple(cards), tuple(raises), tuple(answers), folder, draw(st.integers(-100, 110)))


@given(any_hand(), st.integers(0, 2**64 - 1))
@settings(max_examples=12)
def test_controls_are_those_of_plain_python(hand: Hand, shuffle: int) -> None:
    assert found_controls(hand, shuffle) == pytest.approx(controls(hand, shuffle, chance_of_call), abs=1e-9)


def test_first_hand_is_shuffled_by_cards_of_second() -> None:
    """Cards of the second hand are unknown during the first, and independent of it."""
    hands = [Hand(0, 0, 0, tuple(range(n, n + 9)), (5, 0, 0, 0), (CALLED, 1, 1, 1), NOBODY, 10) for n in (0, 20)]
    *columns, profit = columns_of(hands).values()
    moments = np.zeros((CONTROLS + 2, CONTROLS + 2))
    after = add_hands(columns, profit, 0, 2, 0, np.zeros(CONTROLS), moments, np.zeros(1))
    shuffles = [next_shuffle(hand.cards, 0) for hand in reversed(hands)]
    assert after == next_shuffle(hands[1].cards, shuffles[1])
    both = [controls(hand, shuffle, chance_of_call) for hand, shuffle in zip(hands, shuffles)]
    assert moments[0, 1:-1] == pytest.approx(np.sum(np.array(both, float), axis=0), abs=1e-9)
    assert not luck_of(columns_of(hands[:1]), 1).any()


def test_mean_over_both_answers_of_bob_is_zero() -> None:
    """Weight both answers to the same raise by their exact probabilities."""
    for number in range(20):
        cards = tuple(random.Random(number).sample(range(52), 9))
        raised = 1 + 5 * number
        chance = chance_of_call((cards[2], cards[3]), raised)
        called = Hand(0, 0, 0, cards, (raised, 0, 0, 0), (CALLED, 1, 1, 1), NOBODY, 0)
        folded = Hand(0, 0, 0, cards, (raised, 0, 0, 0), (FOLDED, 0, 0, 0), BOB, 10)
        mean = chance * found_controls(called, number)[4] + (1 - chance) * found_controls(folded, number)[4]
        assert mean == pytest.approx(0, abs=1e-9)


def luck_of(games: Games, hands: int) -> npt.NDArray[np.float64]:
    assert HOLDEM_TRAINING.luck is not None
    luck = HOLDEM_TRAINING.luck.new(Settings(hands=hands))
    luck.add(games, [0], [0])
    return luck.blocks().ravel()
