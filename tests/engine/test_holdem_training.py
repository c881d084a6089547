"""The compiled core of Hold'em training against the plain rules, then against hand-worked hands."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.holdem_training.bob import ROLLOUTS
from engine.games.holdem_training.core import HoldemTraining
from engine.games.holdem_training.hand_strength import strengths
from engine.kernel.game_core import ANSWER_WANTED, BLOCK_COUNT, FAULT
from engine.kernel.records import Table
from tests.holdem import GAMES, SESSIONS, play_core, view_of
from tests.oracles import holdem_training as oracle
from tests.oracles.deals import key_of
from tests.oracles.holdem_training import CHECK, FOLD, Player, View
from tests.oracles.poker_hands import cards_of


def moody_player(seed: int, checks: float, folds: float) -> Player:
    """Return a player that checks, folds, and raises by all sizes, small ones more often."""
    random = Random(seed)

    def decide(view: View) -> int:
        mood = random.random()
        if mood < checks or view.stack == 0:
            return CHECK
        if mood < checks + folds:
            return FOLD
        return random.randint(1, max(1, view.stack // random.choice([1, 2, 4, 8, 16])))

    return decide


# The core against the oracle


LEGS = st.fixed_dictionaries(
    {
        "sessions": st.integers(1, 3),
        "hands": st.integers(1, 4),
        "match": st.integers(0, 2**31 - 1),
        "first_session": st.sampled_from([0, 1, 10**9]),
    }
)


@settings(max_examples=6, deadline=None)
@given(
    mood=st.tuples(st.integers(0, 2**32), st.sampled_from([0.0, 0.3, 0.9]), st.sampled_from([0.0, 0.05])),
    deals_key=st.integers(0, 2**64 - 1),
    leg=LEGS,
    capacities=st.tuples(st.sampled_from([1, 2, 3, 1000]), st.sampled_from([1, 2, 1000])),
)
def test_core_plays_as_the_oracle(
    mood: tuple[int, float, float], deals_key: int, leg: dict[str, Any], capacities: tuple[int, int]
) -> None:
    """Rows, views, sums and Bob's answers are equal, wherever the tables happen to be full."""
    wanted = oracle.play(moody_player(*mood), deals_key, preflop_chance=oracle.chance_of_call, **leg)
    played = play_core(moody_player(*mood), deals_key, capacities=capacities, **leg)
    sessions, hands, match, first_session = (leg[name] for name in ("sessions", "hands", "match", "first_session"))
    assert played.hands == wanted.hands
    assert played.asked == wanted.asked
    assert played.emptied == 0 or played.emptied >= (len(wanted.hands) - 1) // max(capacities)
    profits = [hand.profit for hand in wanted.hands]
    sums = [sum(profits[n * hands : (n + 1) * hands]) for n in range(sessions)]
    assert (played.points, played.squared_points) == (sum(sums), sum(s * s for s in sums))
    blocks = [0.0] * BLOCK_COUNT
    for number, profit in enumerate(profits):
        blocks[number % hands * BLOCK_COUNT // hands] += profit
    assert played.blocks == blocks
    assert played.sessions == [(match, first_session + n, hands, total, total / hands) for n, total in enumerate(sums)]


# Bob


@pytest.mark.parametrize(
    ("bob", "board", "round_", "raised", "hands"),
    [
        ("Th 9h", "8h 7c 2s 2d 3c", 2, 100, 20),
        ("Th 9h", "8h 7c 2s 2d 3c", 3, 12, 20),
        # Most rollouts tie and the others lose: three aces, king and queen play unless Alice beats them.
        ("2c 3d", "As Ad Ac Kh Qd", 4, 12, 40),
        # 40 wins and 60 losses, as some of these have: calling 20 into a pot of 10 gains 40 · 30 and loses 60 · 20.
        ("Ac Jd", "Kh Qs 7h 4c 2s", 4, 20, 600),
        ("Ac Jd", "Kh Qs 7h 4c 2s", 4, 19, 60),
    ],
)
def test_bob_stops_early_with_the_answer_of_all_rollouts(
    bob: str, board: str, round_: int, raised: int, hands: int
) -> None:
    """Bob calls these raises in some hands and folds in others."""

    def player(view: View) -> int:
        return raised if view.round == round_ else CHECK

    decks = [cards_of(f"4d 5s {bob} {board}")] * hands
    played = play_core(player, 5, sessions=1, hands=hands, decks=decks)
    wanted = oracle.play(player, 5, sessions=1, hands=hands, decks=decks, preflop_chance=oracle.chance_of_call)
    assert played.hands == wanted.hands
    assert 0 < sum(hand.answers[round_ - 1] == oracle.CALLED for hand in wanted.hands) < hands


@pytest.mark.parametrize(("hole", "raised"), [("Th 9h", 100), ("2h 7s", 10)])
@pytest.mark.statistical
def test_preflop_rollouts_call_as_often_as_table(hole: str, raised: int) -> None:
    """Answers by a hundred rollouts call as often as by the table, whose one random number the core compares."""
    own = cards_of(hole)
    decisions = 2000
    rng = np.random.default_rng(raised)
    others = np.array(sorted(set(range(52)) - set(own)), dtype=np.uint8)
    dealt = others[rng.random((decisions * ROLLOUTS, 50)).argpartition(7, axis=1)[:, :7]]
    alice = strengths(np.ascontiguousarray(dealt)).astype(int)
    mine = np.hstack([np.tile(np.array(own, np.uint8), (len(dealt), 1)), dealt[:, 2:]])
    bob = strengths(np.ascontiguousarray(mine)).astype(int)
    gains = np.where(bob > alice, 2 * (10 + raised), np.where(bob == alice, 10, -2 * raised))
    calls = (gains.reshape(decisions, ROLLOUTS).sum(axis=1) > 0).mean()
    wanted = oracle.chance_of_call((own[0], own[1]), raised)
    assert 0.02 < wanted < 0.98
    assert abs(calls - wanted) < 4 * math.sqrt(wanted * (1 - wanted) / decisions)
    decks = [cards_of(f"4d 5s {hole} As Kh 9c 8d 4s")] * decisions

    def player(view: View) -> int:
        return raised if view.round == 1 else FOLD

    played = play_core(player, 5, sessions=1, hands=decisions, decks=decks)
    by_oracle = oracle.play(player, 5, sessions=1, hands=decisions, decks=decks, preflop_chance=oracle.chance_of_call)
    assert played.hands == by_oracle.hands


# Hands worked by hand

BOARD = "As Kh 9c 8d 4s"
ROYAL = "Th Jh Qh Kh Ah"
HANDS: dict[str, tuple[str, tuple[int, ...], int, tuple[int, ...], int]] = {  # the rest: who folded, answers, profit
    "Alice folds": (f"2c 3d Ah Ad {BOARD}", (FOLD,), oracle.ALICE, (0, 0, 0, 0), 0),
    "Alice folds after her raise": (f"2c 3d Ah Ad {BOARD}", (7, FOLD), oracle.ALICE, (2, 0, 0, 0), -7),
    "Bob folds, and her raise comes back": (f"Ac Kc 2h 7s {BOARD}", (100,), oracle.BOB, (3, 0, 0, 0), 10),
    "Alice has an empty stack": ("Ac Ks Ah Ad 2s 7h 9c 8d 4s", (100, 0, 0, 0), 0, (2, 1, 1, 1), -100),
    "Alice folds an empty stack": ("Ac Ks Ah Ad 2s 7h 9c 8d 4s", (100, 0, FOLD), oracle.ALICE, (2, 1, 0, 0), -100),
    "tie": (f"2c 3c 2d 3d {ROYAL}", (0, 0, 0, 0), 0, (1, 1, 1, 1), 5),
    "tie after a raise": (f"2c 3c 2d 3d {ROYAL}", (0, 0, 0, 40), 0, (1, 1, 1, 2), 5),
    "Alice has two pairs": (f"Ac Kc Qh Qd {BOARD}", (20, 0, 0, 0), 0, (2, 1, 1, 1), 30),
    "Bob has the higher pair": (f"2c 2d Qh Qd {BOARD}", (20, 0, 0, 0), 0, (2, 1, 1, 1), -20),
}


@pytest.mark.parametrize("name", HANDS)
def test_hand_of_fixed_cards_pays_as_ruled(name: str) -> None:
    cards, actions, *wanted = HANDS[name]
    record = play_core(lambda view: actions[view.round - 1], 1, sessions=1, hands=1, decks=[cards_of(cards)])
    (hand,) = record.hands
    assert [hand.folded_by, hand.answers, hand.profit] == wanted


# Deals


@pytest.mark.statistical
def test_deals_are_uniform() -> None:
    """Cards are compared in each place by χ² with 51 degrees of freedom: 99 is the 0.9999 quantile."""
    record = play_core(lambda _view: FOLD, 21, sessions=1, hands=20_800, capacities=(20_800, 1))
    cards = np.array([hand.cards for hand in record.hands])
    for place in range(9):
        counts = np.bincount(cards[:, place], minlength=52)
        assert ((counts - 400) ** 2 / 400).sum() < 99
    assert all(len(set(row)) == 9 for row in cards[:2000].tolist())


# Faults


@pytest.mark.parametrize("answer", [101, -2, 2**32, 2**32 + 5, -(2**63), 2**63 - 1])
def test_illegal_answers_are_refused(answer: int) -> None:
    """Decisions still wait, and the default is a check. An empty stack has no legal raise."""
    decks = np.array([cards_of("Ac Ks Ah Ad 2s 7h 9c 8d 4s")] * 2, dtype=np.uint8)
    games, sessions = Table(GAMES, 100), Table(SESSIONS, 10)
    core = HoldemTraining(games, sessions, deals_key=key_of(1), sessions=1, hands=2, decks=decks)
    assert core.play() == ANSWER_WANTED
    assert core.play(answer) == FAULT
    assert core.refused() == answer
    assert view_of(core.pending()[2]).round == 1
    assert core.play(core.default()) == ANSWER_WANTED
    assert view_of(core.pending()[2]).round == 2
    assert core.play(100) == ANSWER_WANTED
    assert core.play(1) == FAULT
    assert core.play(CHECK) == ANSWER_WANTED
    assert games.rows == 0
