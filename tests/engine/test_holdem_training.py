"""The compiled core of Hold'em training against the plain rules, then rule by rule on both."""

from __future__ import annotations

import math
from collections.abc import Callable
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
from tests.oracles.holdem_training import CHECK, FOLD, Player, Record, View
from tests.oracles.poker_hands import cards_of

Table52 = Callable[..., Record]  # plays a leg with a Python player, as `play_oracle` does


def play_oracle(
    player: Player, deals_key: int, *, sessions: int, hands: int, decks: list[list[int]] | None = None
) -> Record:
    return oracle.play(
        player, deals_key, sessions=sessions, hands=hands, decks=decks, preflop_chance=oracle.chance_of_call
    )


@pytest.fixture(params=[play_core, play_oracle], ids=["core", "oracle"])
def table(request: pytest.FixtureRequest) -> Table52:
    chosen: Table52 = request.param
    return chosen


def moody_player(seed: int, checks: float, folds: float) -> Player:
    """Checks, folds and raises of all sizes, the small ones more often."""
    random = Random(seed)

    def decide(view: View) -> int:
        mood = random.random()
        if mood < checks or view.stack == 0:
            return CHECK
        if mood < checks + folds:
            return FOLD
        return random.randint(1, max(1, view.stack // random.choice([1, 2, 4, 8, 16])))

    return decide


def deck(alice: str, bob: str, board: str) -> list[int]:
    return cards_of(f"{alice} {bob} {board}")


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
    """Every row, every view, every sum, Bob's every answer, wherever the tables happen to be full."""
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
        # Where most rollouts tie and the others lose: three aces, king and queen play unless Alice beats them.
        ("2c 3d", "As Ad Ac Kh Qd", 4, 12, 40),
        # 40 wins and 60 losses, as some of these have: calling 20 into a pot of 10 gains 40 · 30 and loses 60 · 20.
        ("Ac Jd", "Kh Qs 7h 4c 2s", 4, 20, 600),
        ("Ac Jd", "Kh Qs 7h 4c 2s", 4, 19, 60),
    ],
)
def test_bob_stops_early_with_the_answer_of_all_rollouts(
    bob: str, board: str, round_: int, raised: int, hands: int
) -> None:
    """Hand by hand, for raises at which he is of two minds."""

    def player(view: View) -> int:
        return raised if view.round == round_ else CHECK

    decks = [deck("4d 5s", bob, board)] * hands
    wanted, played = (table(player, 5, sessions=1, hands=hands, decks=decks) for table in (play_oracle, play_core))
    assert played.hands == wanted.hands
    assert 0 < sum(hand.answers[round_ - 1] == oracle.CALLED for hand in wanted.hands) < hands


@pytest.mark.parametrize(("hole", "raised"), [("Th 9h", 100), ("2h 7s", 10)])
@pytest.mark.statistical
def test_preflop_rollouts_call_as_often_as_table(hole: str, raised: int) -> None:
    """The plain form, a hundred rollouts for each answer, against the one random number: equal in distribution."""
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


# The rules, on both


def test_folding_costs_what_was_put_in(table: Table52) -> None:
    """Folding before any raise costs nothing."""
    decks = [deck("2c 3d", "Ah Ad", "As Kh 9c 8d 4s")] * 2
    first = table(lambda _view: FOLD, 1, sessions=1, hands=2, decks=decks)
    assert [(hand.folded_by, hand.profit, hand.answers) for hand in first.hands] == [
        (oracle.ALICE, 0, (0, 0, 0, 0))
    ] * 2

    later = table(lambda view: 7 if view.round == 1 else FOLD, 1, sessions=1, hands=2, decks=decks)
    assert [(hand.folded_by, hand.profit, hand.answers) for hand in later.hands] == [
        (oracle.ALICE, -7, (2, 0, 0, 0))
    ] * 2


def test_bobs_fold_gives_alice_the_pot_as_it_was(table: Table52) -> None:
    """Her own raise comes back, so she wins the ten chips that no one paid."""
    decks = [deck("Ac Kc", "2h 7s", "As Kh 9c 8d 4s")]
    record = table(lambda _view: 100, 1, sessions=1, hands=1, decks=decks)
    assert [(hand.folded_by, hand.profit, hand.answers) for hand in record.hands] == [(oracle.BOB, 10, (3, 0, 0, 0))]


def test_an_empty_stack_is_asked_on(table: Table52) -> None:
    """After a called all-in Alice still checks, round by round; she may even fold."""
    decks = [deck("Ac Ks", "Ah Ad", "2s 7h 9c 8d 4s")]
    record = table(lambda view: view.stack, 1, sessions=1, hands=1, decks=decks)
    assert [(view.round, view.stack, view.bobs_stack, view.pot) for view in record.asked] == [
        (1, 100, 100, 10), (2, 0, 0, 210), (3, 0, 0, 210), (4, 0, 0, 210)
    ]  # fmt: skip
    assert [(hand.answers, hand.profit) for hand in record.hands] == [((2, 1, 1, 1), -100)]
    folded = table(lambda view: view.stack or (FOLD if view.round == 3 else CHECK), 1, sessions=1, hands=1, decks=decks)
    assert [(hand.folded_by, hand.answers, hand.profit) for hand in folded.hands] == [
        (oracle.ALICE, (2, 1, 0, 0), -100)
    ]


def test_a_tie_splits_the_pot(table: Table52) -> None:
    """The statement's example: the board's straight flush is everybody's best."""
    decks = [deck("2c 3c", "2d 3d", "Th Jh Qh Kh Ah")]
    checked = table(lambda _view: CHECK, 1, sessions=1, hands=1, decks=decks)
    assert [hand.profit for hand in checked.hands] == [5]
    raised = table(lambda view: 40 if view.round == 4 else CHECK, 1, sessions=1, hands=1, decks=decks)
    assert [(hand.answers, hand.profit) for hand in raised.hands] == [((1, 1, 1, 2), 5)]


def test_the_better_seven_cards_take_the_pot(table: Table52) -> None:
    decks = [deck("Ac Kc", "Qh Qd", "As Kh 9c 8d 4s"), deck("2c 2d", "Qh Qd", "As Kh 9c 8d 4s")]
    record = table(lambda view: 20 if view.round == 1 else CHECK, 1, sessions=1, hands=2, decks=decks)
    assert [(hand.answers, hand.profit) for hand in record.hands] == [((2, 1, 1, 1), 30), ((2, 1, 1, 1), -20)]


# Deals


@pytest.mark.statistical
def test_deals_are_uniform() -> None:
    """Every card in every place, by χ² with 51 degrees of freedom: 99 is the 0.9999 quantile."""
    record = play_core(lambda _view: FOLD, 21, sessions=1, hands=20_800, capacities=(20_800, 1))
    cards = np.array([hand.cards for hand in record.hands])
    for place in range(9):
        counts = np.bincount(cards[:, place], minlength=52)
        assert ((counts - 400) ** 2 / 400).sum() < 99
    assert all(len(set(row)) == 9 for row in cards[:2000].tolist())


# Faults


def new_core(decks: list[list[int]], hands: int = 2) -> tuple[HoldemTraining, Table]:
    games = Table(GAMES, 100)
    core = HoldemTraining(
        games, Table(SESSIONS, 10), deals_key=key_of(1), sessions=1, hands=hands, decks=np.array(decks, dtype=np.uint8)
    )
    assert core.play() == ANSWER_WANTED
    return core, games


@pytest.mark.parametrize("answer", [101, -2, 2**32, 2**32 + 5, -(2**63), 2**63 - 1])
def test_illegal_answers_are_refused(answer: int) -> None:
    """The decision still waits, and the default is a check."""
    core, games = new_core([deck("Ac Ks", "Ah Ad", "2s 7h 9c 8d 4s")] * 2)
    assert core.play(answer) == FAULT
    assert core.refused() == answer
    assert view_of(core.pending()[2]).round == 1
    assert core.play(core.default()) == ANSWER_WANTED
    assert view_of(core.pending()[2]).round == 2
    assert games.rows == 0


def test_a_raise_is_refused_with_an_empty_stack() -> None:
    core, _ = new_core([deck("Ac Ks", "Ah Ad", "2s 7h 9c 8d 4s")] * 2)
    assert core.play(100) == ANSWER_WANTED
    assert core.play(1) == FAULT
    assert core.play(CHECK) == ANSWER_WANTED
