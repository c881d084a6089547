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
NOTHING = LegSums(0.0, 0.0)


def legs_of(schedule: RoundRobin) -> list[LegResult]:
    return [
        LegResult(one.digest, one.match, one.number, one.names, 5, 50, (NOTHING, NOTHING))
        for one in schedule.fixtures()
    ]


LEGS = legs_of(SCHEDULE)
FAULT = Fault(0, 0, 0, "a", "what")


def batch(*legs: LegResult) -> Batch:
    return Batch("", (), Legs.from_results(legs))


@pytest.mark.parametrize("place", [0, 5, 11])
@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({"match": 6}, False),
        ({"match": 100}, False),
        ({"number": 2}, False),
        ({"digest": "0" * 64}, False),
        ({"digest": LEGS[3].digest}, False),
        ({"sessions": 4}, False),
        ({"sessions": 6}, False),
        ({"sessions": 6, "faults": (FAULT,), "disqualified_seats": (0,)}, False),
        ({"sessions": 4, "faults": (FAULT,)}, False),
        ({"faults": (FAULT,)}, True),
    ],
    ids=str,
)
def test_a_leg_counts_at_its_own_place_and_whole(place: int, change: dict[str, Any], counts: bool) -> None:
    legs = [*LEGS[:place], replace(LEGS[place], **change), *LEGS[place + 1 :]]
    found = reconcile([batch(*legs)], SCHEDULE)
    assert found.counts(Legs.from_results(legs)).tolist() == [counts or at != place for at in range(12)]
    assert found.done == 11 + counts and len(found.missing) == 1 - counts


def test_a_leg_cut_short_by_its_fault_counts_and_its_bot_plays_no_other() -> None:
    ended = replace(LEGS[0], sessions=2, faults=(FAULT,), disqualified_seats=(0,))
    found = reconcile([batch(ended, *LEGS[1:])], SCHEDULE)
    others = [ended.seats[0] not in leg.seats for leg in LEGS[1:]]
    assert found.out == {ended.seats[0]} and found.counts(Legs.from_results([ended, *LEGS[1:]])).tolist() == [
        True,
        *others,
    ]
    assert (found.total, len(found.missing)) == (7, 0)


def test_who_claims_a_millionth_replica_has_no_more_than_were_played() -> None:
    claims = replace(LEGS[0], number=10**6)
    assert recorded_replicas([batch(*LEGS, claims)], 1).of(claims.match) == 3


def test_fewer_replicas_lose_none_up_to_the_first_that_is_missing() -> None:
    played = [leg for leg in legs_of(replace(SCHEDULE, replicas=Replicas(4))) if leg.match == 0 and leg.number != 2]
    kept = extend_with_played_replicas(
        lambda replicas: replace(SCHEDULE, replicas=replicas), Replicas(1), [batch(*played)]
    ).replicas
    assert kept.of(played[0].match) == 2
