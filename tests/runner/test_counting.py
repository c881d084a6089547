"""Recorded legs count if they are whole, and at their places in the schedule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import RoundRobin
from tournament.runner.schedule.recorded import extend_with_played_replicas, recorded_replicas
from tournament.store.field import Batch
from tournament.store.leg_result import Fault, LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs

FIELD = [Competitor(number, f"bot {number}", "wasm", f"{number}") for number in range(4)]
SCHEDULE = RoundRobin("game", {"sessions": 5}, bytes(32), FIELD, replicas=Replicas(2))
FAULT = Fault(0, 0, 0, "a", "what")


def legs_of(schedule: RoundRobin) -> list[LegResult]:
    return [
        LegResult(one.digest, one.match, one.number, one.names, 5, 50, (LegSums(0.0, 0.0),) * 2)
        for one in schedule.fixtures()
    ]


LEGS = legs_of(SCHEDULE)


def batch(*legs: LegResult) -> Batch:
    return Batch("", (), Legs.from_results(legs))


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({"match": 6}, False),
        ({"number": 2}, False),
        ({"digest": "0" * 64}, False),
        ({"digest": LEGS[3].digest}, False),
        ({"sessions": 4, "faults": (FAULT,)}, False),
        ({"sessions": 6, "faults": (FAULT,), "disqualified_seats": (0,)}, False),
        ({"faults": (FAULT,)}, True),
    ],
    ids=str,
)
def test_leg_counts_whole_at_its_own_place(change: dict[str, Any], counts: bool) -> None:
    legs = [*LEGS[:5], replace(LEGS[5], **change), *LEGS[6:]]
    found = reconcile([batch(*legs)], SCHEDULE)
    assert found.counts(Legs.from_results(legs)).tolist() == [counts or at != 5 for at in range(12)]
    assert found.done == 11 + counts and len(found.missing) == 1 - counts


def test_leg_recorded_twice_counts_once() -> None:
    legs = [*LEGS, LEGS[5]]
    assert reconcile([batch(*legs)], SCHEDULE).counts(Legs.from_results(legs)).tolist() == [True] * 12 + [False]


def test_leg_cut_short_counts_and_bot_plays_no_other() -> None:
    ended = replace(LEGS[0], sessions=2, faults=(FAULT,), disqualified_seats=(0,))
    found = reconcile([batch(ended, *LEGS[1:])], SCHEDULE)
    counted = [True, *(ended.seats[0] not in leg.seats for leg in LEGS[1:])]
    assert found.out == {ended.seats[0]} and found.counts(Legs.from_results([ended, *LEGS[1:]])).tolist() == counted
    assert (found.total, len(found.missing)) == (7, 0)


def test_fewer_replicas_keep_those_played_without_gap() -> None:
    claims = replace(LEGS[0], number=10**6)  # The number of a replica that no one played.
    assert recorded_replicas([batch(*LEGS, claims)], 1).of(claims.match) == 3
    played = [leg for leg in legs_of(replace(SCHEDULE, replicas=Replicas(4))) if leg.match == 0 and leg.number != 2]
    kept = extend_with_played_replicas(
        lambda replicas: replace(SCHEDULE, replicas=replicas), Replicas(1), [batch(*played)]
    ).replicas
    assert kept.of(played[0].match) == 2
