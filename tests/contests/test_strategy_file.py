"""Strategy files: written and read back to the last bit, and their defects."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.two_card_draw.climbing import random_strategy
from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.contests.two_card_draw.generate import Recipe, generate
from tournament.contests.two_card_draw.strategy_file import (
    ServerStrategy,
    read_strategy,
    situation_labels,
    write_strategy,
)
from tournament.errors import InputError


@cache
def good_text() -> str:
    return write_strategy(generate(Recipe(2, 5, 10_000, 3)))


def changed(line: int, text: str) -> bytes:
    """Return the good file with another text on a line, counted from 1."""
    lines = good_text().split("\n")
    lines[line - 1] = text
    return "\n".join(lines).encode()


def line_of(label: str) -> int:
    return situation_labels().index(label) + 2


def test_situations_are_the_statements() -> None:
    labels = situation_labels()
    kinds = [label.split()[0] for label in labels]
    assert [kinds.count(kind) for kind in ("ROUND1", "DRAW", "ROUND2")] == [60, 315, 3780]
    assert len(set(labels)) == 4155
    assert not any(label.endswith(" 1") for label in labels if label.startswith("DRAW") and label.split()[3] == "0")


@given(st.integers(0, 2**32), st.integers(1, 5), st.data())
@settings(max_examples=3, deadline=None)
def test_files_round_trip(seed: int, bet1: int, data: st.DataObject) -> None:
    strategy = ServerStrategy(bet1, data.draw(st.integers(bet1, 3 * bet1)), random_strategy(seed))
    text = write_strategy(strategy)
    back = read_strategy(text.encode(), "a file")
    assert (back.bet1, back.bet2) == (strategy.bet1, strategy.bet2)
    assert np.array_equal(back.rows, strategy.rows)
    assert write_strategy(back) == text


def test_file_in_any_order_and_spacing_is_read() -> None:
    head, *lines = good_text().splitlines()
    random.Random(1).shuffle(lines)
    text = "\r\n".join([f"  {head}", "", *[line.replace(" ", "\t ") for line in lines], ""])
    assert np.array_equal(read_strategy(text.encode(), "x").rows, read_strategy(good_text().encode(), "y").rows)


def test_probabilities_that_nearly_add_up_are_scaled() -> None:
    at = line_of("ROUND1 1 2 1")
    row = read_strategy(changed(at, "ROUND1 1 2 1 0.3333333 0.3333333 0.3333333"), "x").rows[at - 2]
    assert row.tolist() == pytest.approx([1 / 3] * 3, abs=1e-15)
    evaluator = StrategyEvaluator(read_strategy(changed(at, "ROUND1 1 2 1 1e0 .0 0."), "x").rows, 2, 5)
    assert evaluator.value() < 0


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        (1, "2", "line 1: the first line must have two numbers, bet1 and bet2"),
        (1, "0 1", "line 1: bet1 is 0, must be 1 to 5"),
        (1, "2 7", "line 1: bet2 is 7, must be 2 to 6: from bet1 to three times bet1"),
        (5, "ROUND3 0 0 3 0 1 0", "line 5: a line begins with ROUND1, DRAW or ROUND2, not ROUND3"),
        (5, "ROUND1 0 0 3 0 1", "line 5: ROUND1 has 3 numbers and 3 probabilities, this line has 5"),
        (5, "ROUND1 0 5 3 0 1 0", "line 5: CARD2 is 5, must be 0 to 4"),
        (5, "ROUND1 3 1 3 0 1 0", "line 5: CARD1 is 3, must not be higher than CARD2, 1"),
        (5, "ROUND1 0 0 2 0 1 0", "line 5: ROUND1 0 0 2 is there already, on line 4"),
        (5, "ROUND1 0 0 3 0 1 x", "line 5: x is not a number"),
        (5, "ROUND1 0 0 3 -0.1 1.1 0", "line 5: -0.1 is not a probability, which is 0 to 1"),
        (5, "ROUND1 0 0 3 0.5 0.4 0", "line 5: the probabilities add up to 0.9, must be 1"),
        (5, "ROUND1 0 0 3 0.5 0.4 0.1", "line 5: raise must be 0 after 3 bets"),
        (2, "ROUND1 0 0 0 0.5 0.5 0", "line 2: fold must be 0 where calling is free"),
        (62, "DRAW 0 0 0 0 1 0 1 0", "line 62: FIRST is 1 where no one bet, must be 0"),
        (377, "ROUND2 0 0 0 0 0 0 0 .1 .9 0", "line 377: fold must be 0 where calling is free"),
        (4156, "", "line 4155, the last: ROUND2 4 4 3 3 2 2 1 is missing"),
    ],
)
def test_defects_are_told_with_their_line(line: int, text: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_strategy(changed(line, text), "server.txt")
    assert str(caught.value) == f"server.txt, {expected}"
