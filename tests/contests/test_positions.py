"""Positions of rules in Python: they are drawn by the key of the deals, observed by bots, and recorded."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from engine.kernel.records import Table
from tests.oracles.deals import key_of
from tournament.contests.contest import CoreSetup
from tournament.leg import LegPlan
from tournament.rules import Decision, Int, Questions, Rules, Session
from tournament.rules.contests import get_contest
from tournament.store.columns import buffer_fields

SHOW = Decision("show", "Say anything", observation={}, answer=Int(0, 1))


class Shown(Rules):
    """Rules of any number of seats, at which nothing happens."""

    name = "shown"
    seats = range(2, 7)
    decisions = (SHOW,)

    def play(self, session: Session) -> Questions:
        yield SHOW(0)
        session.record([0] * session.seats)


def seats_at(seats: int, sessions: int, *, rotation: int = 0, deals: int = 1) -> list[tuple[int, ...]]:
    """Return the seat at each position, session by session."""
    contest = get_contest(Shown).seated(seats)
    games, table = (Table(buffer_fields(columns), sessions) for columns in (contest.games, contest.sessions))
    plan = LegPlan(0, 0, sessions, key_of(deals), seats=seats, rotation=rotation)
    core = contest.new_core(CoreSetup(plan, contest.settings.model_validate({"seats": seats}), games, table))
    while core.play(0):
        pass
    core.check()
    return list(zip(*(table.arrays[f"bot_{position}"].tolist() for position in range(seats))))


@pytest.mark.parametrize("seats", [3, 6])
def test_session_block_has_every_rotation_of_cyclic_order(seats: int) -> None:
    at = seats_at(seats, 7 * seats + 2)
    orders, steps = set(), set()
    for first in range(0, 7 * seats, seats):
        block = at[first : first + seats]
        assert {row[0] for row in block} == set(range(seats))
        ((order,),) = [{tuple(row[(row.index(0) + place) % seats] for place in range(seats)) for row in block}]
        orders.add(order)
        steps |= {(one.index(0) - two.index(0)) % seats for one, two in pairwise(block)}
    assert len(orders) > 1 and len(steps) > 1
    assert len(set(at[-2:])) == 2  # an incomplete block has no rotation twice


@pytest.mark.parametrize("seats", [2, 5])
def test_duplicate_legs_give_bots_every_position_per_session(seats: int) -> None:
    legs = [seats_at(seats, 2 * seats + 1, rotation=rotation) for rotation in range(seats)]
    for session in range(2 * seats + 1):
        for position in range(seats):
            assert {leg[session][position] for leg in legs} == set(range(seats))


@pytest.mark.statistical
@pytest.mark.parametrize("sessions", [1, 2])
def test_bots_of_a_short_leg_sit_anywhere_equally_often(sessions: int) -> None:
    """Seats are at each position a third of the time, over 600 keys and within 4 standard errors."""
    found = Counter(
        (place, seat) for deals in range(600) for place, seat in enumerate(seats_at(3, sessions, deals=deals)[-1])
    )
    error = (600 * 2 / 9) ** 0.5
    assert all(abs(found[place, seat] - 200) < 4 * error for place in range(3) for seat in range(3))
