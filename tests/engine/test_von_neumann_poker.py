"""The compiled core of von Neumann poker against the plain controller, then against hand-worked sessions."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.game_core import BLOCK_COUNT
from tests.oracles import von_neumann_poker as oracle
from tests.oracles.deals import key_of, poker_deals
from tests.oracles.von_neumann_poker import BetCap, Bot, View
from tests.support import constant_bot, play_core

MOST = 2**63 - 1
LEAST = -(2**63)
HUGE = [MOST, LEAST, LEAST + 1, 2**31 - 1, 2**31, -(2**31), 2**32, 2**32 + 7, 3 * 10**9, -(2**32), 256, 2**62]

# Two equal cards, found by search: the second game of this key's first session has them.
EQUAL_CARDS_KEY = 16_144_859


# The core against the oracle


def reciting_bot(bets: list[int], calls: list[int]) -> Bot:
    """Return a bot that goes through its answers again and again, a new one for each leg."""
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
    """Rows, views and sums are equal, wherever the tables happen to be full."""
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


# Rules that the oracle could share a mistake about, or never meets


@pytest.mark.parametrize("bet", [0, 7])
def test_equal_cards_are_bs(bet: int) -> None:
    record = play_core(constant_bot(bet, 1), constant_bot(bet, 1), EQUAL_CARDS_KEY, sessions=1)
    equal = [game for game in record.games if game.a_card == game.b_card]
    assert [game.game for game in equal] == [1]
    assert equal[0].a_gain == -10 - bet


@pytest.mark.parametrize(("bet_cap", "lowest"), [("before_ante", -10), ("after_ante", 0)])
def test_stack_after_lost_bets_has_lowest_value(bet_cap: BetCap, lowest: int) -> None:
    """Bets of a whole stack before the ante leave losers at −10, and winners 110 richer."""
    record = play_core(constant_bot(50, 1), constant_bot(50, 1), 1, sessions=40, bet_cap=bet_cap)
    gains = {session.gain_0 for session in record.sessions}
    assert max(gains) == 100 - lowest and min(gains) == -(100 - lowest)


@pytest.mark.parametrize(
    ("bet", "key", "x_gains", "points"),
    [
        # X is A: .8369 to .1872, +60: 160 and 40. Y is A, bets his 40: .6314 to .9091, x wins 50. 110/√2.
        (50, 0, (60, 50), 77.7817459305),
        # X is A: .4473 to .1619, +60: 160 and 40. Y is A, bets 40: .5924 to .0046, y wins 50: 110 and 90.
        # X is A, bets 50: .2062 to .0456, +60: 170 and 30. Y is A, bets 30: .2121 to .6591, x wins 40. 110/√4.
        (50, 9, (60, -50, 60, 40), 55.0),
        # In games of passes ten dollars change hands: x wins 8 and loses 18 of 26 games, −100/√26,
        # then 23 and 27 of 50 games, −40/√50.
        (0, 173, (10,) * 8 + (-10,) * 18, -19.6116135138),
        (0, 1, (10,) * 23 + (-10,) * 27, -5.6568542495),
    ],
)
def test_points_of_sessions_worked_by_hand(bet: int, key: int, x_gains: tuple[int, ...], points: float) -> None:
    record = play_core(constant_bot(bet, 1), constant_bot(bet, 1), key, sessions=1)
    (session,) = record.sessions
    gains = [game.a_gain if game.seat_0_is_a else -game.a_gain for game in record.games]
    assert [game.seat_0_is_a for game in record.games] == [number % 2 == 0 for number in range(len(gains))]
    assert gains == [*x_gains] if bet else sorted(gains) == sorted(x_gains)
    assert (session.games, session.gain_0) == (len(x_gains), sum(x_gains))
    assert math.isclose(session.points_0, points, abs_tol=1e-9)
