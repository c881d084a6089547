"""The compiled core of von Neumann poker against the plain controller, then rule by rule on both."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.von_neumann_poker.core import VonNeumannPoker
from engine.kernel.game_core import BLOCK_COUNT
from engine.kernel.records import Table
from tests.oracles import von_neumann_poker as oracle
from tests.oracles.deals import key_of, poker_deals
from tests.oracles.von_neumann_poker import BetCap, Bot, Game, Record, Session, View
from tests.support import constant_bot, play_core, poker_tables

MOST = 2**63 - 1
LEAST = -(2**63)
HUGE = [MOST, LEAST, LEAST + 1, 2**31 - 1, 2**31, -(2**31), 2**32, 2**32 + 7, 3 * 10**9, -(2**32), 256, 2**62]

# A word whose two cards are equal, found by search: the second game of this key's first session.
EQUAL_CARDS_KEY = 16_144_859


Controller = Callable[..., Record]  # plays a leg with Python bots, as `play_oracle` does


def play_oracle(
    x: Bot, y: Bot, deals_key: int, *, sessions: int, bet_cap: BetCap = "before_ante", seats_swapped: bool = False
) -> Record:
    deal = poker_deals(key_of(deals_key))
    return oracle.play(x, y, deal, sessions=sessions, bet_cap=bet_cap, seats_swapped=seats_swapped)


@pytest.fixture(params=[play_core, play_oracle], ids=["core", "oracle"])
def controller(request: pytest.FixtureRequest) -> Controller:
    chosen: Controller = request.param
    return chosen


# The core against the oracle


def reciting_bot(bets: list[int], calls: list[int]) -> Bot:
    """A bot that goes through its answers again and again; state that a played leg uses up."""
    asked = [0, 0]

    def a(_view: View) -> int:
        asked[0] += 1
        return bets[asked[0] % len(bets)]

    def b(_view: View, _bet: int) -> int:
        asked[1] += 1
        return calls[asked[1] % len(calls)]

    return Bot(a, b)


bet_lists = st.lists(st.integers(-3, 120) | st.sampled_from(HUGE) | st.integers(LEAST, MOST), min_size=1, max_size=30)
call_lists = st.lists(st.sampled_from([0, 1, -1, *HUGE]), min_size=1, max_size=30)
answer_lists = st.tuples(bet_lists, call_lists)


LEGS = st.fixed_dictionaries(
    {
        "sessions": st.integers(1, 40),
        "bet_cap": st.sampled_from(["before_ante", "after_ante"]),
        "seats_swapped": st.booleans(),
        "roles_by_session": st.booleans(),
        "match": st.integers(0, 2**31 - 1),
        "first_session": st.sampled_from([0, 1, 5, 10**9]),
    }
)
CAPACITIES = st.tuples(st.sampled_from([1, 2, 3, 7, 49, 50, 51, 1000]), st.sampled_from([1, 2, 3, 1000]))


@settings(max_examples=50, deadline=None)
@given(x=answer_lists, y=answer_lists, deals_key=st.integers(0, 2**64 - 1), leg=LEGS, capacities=CAPACITIES)
def test_core_plays_as_the_oracle(
    x: tuple[list[int], list[int]],
    y: tuple[list[int], list[int]],
    deals_key: int,
    leg: dict[str, Any],
    capacities: tuple[int, int],
) -> None:
    """Every row, every view, every sum, wherever the tables happen to be full."""
    wanted = oracle.play(reciting_bot(*x), reciting_bot(*y), poker_deals(key_of(deals_key)), **leg)
    played = play_core(reciting_bot(*x), reciting_bot(*y), deals_key, capacities=capacities, **leg)
    sessions = leg["sessions"]
    assert played.games == wanted.games
    assert played.sessions == wanted.sessions
    assert played.asked == wanted.asked
    assert played.emptied == 0 or played.emptied >= (len(wanted.games) - 1) // max(capacities)
    points = [session.points_0 for session in wanted.sessions]
    assert (played.sums.sessions, played.sums.games) == (sessions, len(wanted.games))
    assert math.isclose(played.sums.points, math.fsum(points), rel_tol=1e-12, abs_tol=1e-9)
    assert math.isclose(played.sums.squared_points, math.fsum(p * p for p in points), rel_tol=1e-12)
    blocks = [0.0] * BLOCK_COUNT
    for number, earned in enumerate(points):
        blocks[number * BLOCK_COUNT // sessions] += earned
    assert played.sums.blocks == blocks


# Roles


def test_x_is_a_in_even_games_of_match(controller: Controller) -> None:
    """Session borders don't restart the count: after a session of odd length y opens the next one."""
    record = controller(constant_bot(30, 1), constant_bot(30, 1), 1, sessions=30)
    assert any(session.games % 2 for session in record.sessions)
    assert [game.seat_0_is_a for game in record.games] == [number % 2 == 0 for number in range(len(record.games))]
    assert len({game.seat_0_is_a for game in record.games if game.game == 0}) == 2


# Bets


@pytest.mark.parametrize("wish", [0, -1, -5, LEAST, LEAST + 1, -(2**32), -(2**31), -(2**32) + 20])
def test_a_bet_below_one_is_a_pass(controller: Controller, wish: int) -> None:
    """B isn't asked and the cards decide over the antes."""
    record = controller(constant_bot(wish, 0), constant_bot(wish, 0), 3, sessions=2)
    assert all(asked.bet is None for asked in record.asked)
    assert {(game.bet, game.folded) for game in record.games} == {(0, False)}
    assert {game.a_gain for game in record.games} == {-10, 10}


@pytest.mark.parametrize("wish", [1, 2, 49, 50, 51, 100, 255, 256, 2**31, 2**32, 2**32 + 1, 3 * 10**9, 2**40, MOST])
@pytest.mark.parametrize("bet_cap", ["before_ante", "after_ante"])
def test_bet_is_capped_by_limit_and_stacks(controller: Controller, wish: int, bet_cap: BetCap) -> None:
    """At full width: 2³² asks for the most, not for nothing."""
    antes = 10 if bet_cap == "after_ante" else 0
    record = controller(constant_bot(wish, 1), constant_bot(wish, 1), 8, sessions=20, bet_cap=bet_cap)
    for game in record.games:
        stacks = (game.a_money - antes, game.b_money - antes)
        assert game.bet == min(wish, 50, *stacks)
    if wish >= 50:
        assert {game.bet for game in record.games if min(game.a_money, game.b_money) >= 60} == {50}
        assert any(game.bet == game.a_money - antes < game.b_money - antes for game in record.games)
        assert any(game.bet == game.b_money - antes < game.a_money - antes for game in record.games)


@pytest.mark.parametrize("answer", [1, -1, 2, 256, 2**31, 2**32, LEAST, MOST])
def test_any_answer_but_zero_calls(controller: Controller, answer: int) -> None:
    record = controller(constant_bot(10, answer), constant_bot(10, answer), 3, sessions=1)
    assert not any(game.folded for game in record.games)
    record = controller(constant_bot(10, 0), constant_bot(10, 0), 3, sessions=1)
    assert all(game.folded and game.a_gain == 10 for game in record.games)


# Payoffs


@pytest.mark.parametrize("bet", [0, 7])
def test_equal_cards_are_bs(controller: Controller, bet: int) -> None:
    record = controller(constant_bot(bet, 1), constant_bot(bet, 1), EQUAL_CARDS_KEY, sessions=1)
    equal = [game for game in record.games if game.a_card == game.b_card]
    assert [game.game for game in equal] == [1]
    assert equal[0].a_gain == -10 - bet


# What bots are shown


def assert_shown_as_ruled(record: Record) -> None:
    """What A and B are shown is about the game before, and about nothing before that."""
    rest = iter(record.asked)
    before: Game | None = None
    for game in record.games:
        for asked in islice(rest, 1 + (game.bet > 0)):
            if before is None or before.folded:
                seen = -1.0
            else:
                was_a = before.seat_0_is_a == (asked.seat == 0)
                seen = before.b_card if was_a else before.a_card
            assert asked.view.opponents_previous_card == seen
        before = game


@pytest.mark.parametrize(
    ("bet", "call", "what"), [(0, 0, "a pass"), (9, 1, "a call"), (50, 1, "a call"), (9, 0, "a fold")]
)
def test_the_previous_card_is_shown_unless_b_folded(controller: Controller, bet: int, call: int, what: str) -> None:
    """After a pass as after a call, also over session borders; B is shown it as well as A."""
    record = controller(constant_bot(bet, call), constant_bot(bet, call), 4, sessions=6)
    assert_shown_as_ruled(record)
    seen = [asked.view.opponents_previous_card for asked in record.asked[2:]]
    assert all(card == -1 for card in seen) if what == "a fold" else all(card >= 0 for card in seen)
    assert record.games[-1].session > 0, "the leg should have session borders"


# The end of a session


def test_a_session_ends_when_one_cannot_ante(controller: Controller) -> None:
    record = controller(constant_bot(50, 1), constant_bot(33, 1), 1, sessions=40)
    assert all(min(game.a_money, game.b_money) >= 10 for game in record.games)
    for session in record.sessions:
        assert session.games == 50 or 100 - abs(session.gain_0) < 10
    lefts = {100 - abs(session.gain_0) for session in record.sessions if session.games < 50}
    assert any(0 < left < 10 for left in lefts), "also somebody with a few dollars left is out"


@pytest.mark.parametrize(("bet_cap", "lowest"), [("before_ante", -10), ("after_ante", 0)])
def test_the_lowest_stack(controller: Controller, bet_cap: BetCap, lowest: int) -> None:
    """A bet of a whole stack before the ante leaves its loser at −10, and the winner 110 richer."""
    record = controller(constant_bot(50, 1), constant_bot(50, 1), 1, sessions=40, bet_cap=bet_cap)
    gains = {session.gain_0 for session in record.sessions}
    assert max(gains) == 100 - lowest and min(gains) == -(100 - lowest)


# Points


def assert_scored(session: Session, games: int, gain: int, points: float) -> None:
    assert (session.games, session.gain_0) == (games, gain)
    assert math.isclose(session.points_0, points, abs_tol=1e-9)


def test_points_of_sessions_worked_by_hand(controller: Controller) -> None:
    """m/√g for x, with the gains of each game in turn beside."""
    all_in = constant_bot(50, 1)

    # x is A: .8369 to .1872, +60: 160 and 40. y is A, bets his 40: .6314 to .9091, x wins 50.
    # 210 and −10 after two games: 110/√2 = 77.78174593…
    (session,) = controller(all_in, all_in, 0, sessions=1).sessions
    assert_scored(session, 2, 110, 77.7817459305)

    # x is A: .4473 to .1619, +60: 160 and 40. y is A, bets 40: .5924 to .0046, y wins 50: 110 and 90.
    # x is A, bets 50: .2062 to .0456, +60: 170 and 30. y is A, bets 30: .2121 to .6591, x wins 40.
    # 210 and −10 after four games: 110/√4 = 55 exactly.
    (session,) = controller(all_in, all_in, 9, sessions=1).sessions
    assert_scored(session, 4, 110, 55.0)

    # Passing only, ten dollars change hands in each game. x wins 8 and loses 18 of the first 26
    # games: 0 and 200. −100/√26 = −19.61161351…
    passing = constant_bot(0, 0)
    record = controller(passing, passing, 173, sessions=1)
    wins = sum((game.a_gain > 0) == game.seat_0_is_a for game in record.games)
    assert (wins, len(record.games)) == (8, 26)
    assert_scored(record.sessions[0], 26, -100, -19.6116135138)

    # x wins 23 and loses 27 of 50 games: 60 and 140. −40/√50 = −5.65685424…
    record = controller(passing, passing, 1, sessions=1)
    assert sum((game.a_gain > 0) == game.seat_0_is_a for game in record.games) == 23
    assert_scored(record.sessions[0], 50, -40, -5.6568542495)


# The core as a machine


def test_tables_must_have_the_columns() -> None:
    """A core that wrote elsewhere would be worse than none."""
    games, sessions = poker_tables(10, 10)
    fields = {name: values.dtype.name for name, values in games.arrays.items()}
    with pytest.raises(TypeError, match="the core writes"):
        VonNeumannPoker(Table({"match": "int32"}, 10), sessions, deals_key=key_of(1), sessions=1)
    with pytest.raises(TypeError, match="the core writes"):
        VonNeumannPoker(Table(fields | {"bet": "int64"}, 10), sessions, deals_key=key_of(1), sessions=1)
