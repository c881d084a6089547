"""Entrants against house players: the schedule, and scores that are no plain sums."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.kernel.sums import SeatSums
from tests.oracles.deals import key_of
from tests.standings.blocks import leg_sums
from tournament.contests.scoring import HouseScoring
from tournament.leg import Leg, house_match_number
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import AgainstHouse
from tournament.standings.standings import Standings, compute_standings
from tournament.store.field import Batch, ContestSetup, FieldEntrant, FieldHousePlayer
from tournament.store.leg_result import LegResult
from tournament.store.legs import Legs

BLOCKS = 32
SETTINGS = {"sessions": 2}
KEY = key_of(5)


def against_house(field: Sequence[Competitor], house: Sequence[Competitor], **changes: Any) -> AgainstHouse:
    return AgainstHouse("a_contest", {**SETTINGS, **changes}, KEY, field, house)


def pair(leg: Leg) -> tuple[str, str]:
    assert leg.house
    return leg.names[0], leg.house.name


def by_pair(schedule: AgainstHouse) -> dict[tuple[str, str, int], Leg]:
    return {(*pair(leg), leg.plan.number): leg for leg in schedule.legs()}


def test_every_entrant_meets_every_house_player() -> None:
    field = [Competitor(number, name, "wasm", name) for number, name in enumerate("cab")]
    house = [Competitor(number, name, "house", name) for number, name in enumerate("zy")]
    schedule = against_house(field, house, sessions=3)
    legs = list(schedule.legs())
    assert len(legs) == 18 == len({leg.digest for leg in legs})
    assert {pair(leg) for leg in legs} == {(x, y) for x in "abc" for y in "yz"}
    places = [(leg.plan.match, leg.plan.number) for leg in legs]
    assert places == sorted(set(places))
    assert all((leg.plan.sessions, leg.plan.first_session) == (1, leg.plan.number) for leg in legs)


def test_entrants_against_house_share_deals_and_no_rand() -> None:
    """Deals belong to a session against a house player, or to a trial."""
    field = [Competitor(n, name, "wasm", name) for n, name in enumerate(("ann", "bob"))]
    house = [Competitor(n, name, "house", name) for n, name in enumerate(("one", "two"))]
    schedule = against_house(field, house)
    legs = by_pair(schedule)
    keys = {key: leg.plan.deals_key for key, leg in legs.items()}
    assert len(set(keys.values())) == 4
    assert all(keys["ann", *rest] == keys["bob", *rest] for rest in (("one", 0), ("one", 1), ("two", 0), ("two", 1)))
    assert len({leg.seats[0].random_seed for leg in legs.values()}) == 8
    tried = [
        by_pair(replace(schedule, competitors=[replace(field[0], name=name, artifact=name)], paired=name))
        for name in ("ann", "amy")
    ]
    chance = [[(leg.plan.deals_key, leg.seats[0].random_seed) for leg in one.values()] for one in tried]
    assert chance[0] == chance[1]
    assert not {key for key, _ in chance[0]} & set(keys.values())


def test_replicas_are_more_sessions() -> None:
    field = [Competitor(n, name, "wasm", name) for n, name in enumerate(("ann", "bob"))]
    house = [Competitor(0, "server", "house", "its strategy")]
    several = replace(against_house(field, house), replicas=Replicas(3, {house_match_number(1, 0): 4}))
    legs = [leg.digest for leg in several.legs()]
    assert len(legs) == 2 * (3 + 4) and {*legs} < {leg.digest for leg in against_house(field, house, sessions=8).legs()}


# Scores.

CLIPPED = HouseScoring(lambda played: max(0.0, played.points + played.games))


def field_of(entrants: Sequence[str], house: Sequence[str]) -> ContestSetup:
    return ContestSetup(
        "a_contest",
        "1",
        {},
        tuple(FieldEntrant(n, name, "c", name, name, None) for n, name in enumerate(entrants)),
        {name: n for n, name in enumerate(entrants)},
        tuple(FieldHousePlayer(n, name, name, {"best": 0.5}) for n, name in enumerate(house)),
        {name: n for n, name in enumerate(house)},
    )


def leg_of(field: ContestSetup, x: str, y: str, gains: Any, number: int = 0, **more: Any) -> LegResult:
    """Return a session in which x won these points in its games."""
    count = len(gains)
    blocks = np.bincount(np.arange(count) * BLOCKS // count, gains, BLOCKS)
    own = SeatSums(float(gains.sum()), float(gains.sum() ** 2), tuple(blocks.tolist()))
    return LegResult(
        digest=hashlib.sha256(f"{x} {y} {number}".encode()).hexdigest(),
        match=house_match_number(field.numbers[x], field.house_numbers[y]),
        number=number,
        seats=(x,),
        house=y,
        sessions=1,
        games=count,
        sums=leg_sums((own,), count),
        **more,
    )


def ranked(field: ContestSetup, legs: Sequence[LegResult], scoring: HouseScoring) -> Standings:
    return compute_standings(field, [Batch("b", (), Legs.from_results(legs))], scoring)


def test_score_is_mean_over_house_players() -> None:
    chance = np.random.default_rng(1)
    field = field_of(["ann", "bob"], ["one", "two", "three"])
    gains = {(x, y): chance.normal(0.2 * (x == "ann"), 3, 3200) for x in ("ann", "bob") for y in field.house_numbers}
    standings = ranked(field, [leg_of(field, x, y, g) for (x, y), g in gains.items()], CLIPPED)
    assert [line.name for line in standings.entrants] == ["ann", "bob"]
    for line in standings.entrants:
        own = [g for (x, _), g in gains.items() if x == line.name]
        assert line.score == pytest.approx(np.mean([g.sum() + 3200 for g in own]))
        expected = math.sqrt(sum(len(g) * g.var() for g in own)) / 3
        assert line.stderr == pytest.approx(expected, rel=4 / math.sqrt(2 * 31))
        assert (line.matches, line.sessions, line.games) == (3, 3, 9600)
    for match in standings.matches:
        played = gains[match.x, match.y]
        assert match.score == pytest.approx(played.sum() + 3200)
        assert match.points_0_stderr == pytest.approx(math.sqrt(len(played)) * played.std(), rel=4 / math.sqrt(2 * 31))


def test_sessions_are_scored_separately_before_averaging() -> None:
    """Losing more than the floor in one session doesn't eat up what another one brought."""
    field = field_of(["ann"], ["one"])
    legs = [leg_of(field, "ann", "one", np.full(64, -2.0)), leg_of(field, "ann", "one", np.tile([1.0, 0.0], 32), 1)]
    standings = ranked(field, legs, CLIPPED)
    assert standings.entrants[0].score == pytest.approx((0 + 96) / 2)
    assert standings.matches[0].points_0 == -128 + 32
    whole = ranked(field, legs, replace(CLIPPED, of_match=True))
    assert whole.entrants[0].score == pytest.approx(-96 + 128)


def test_curved_score_has_error_by_its_slope() -> None:
    scoring = HouseScoring(lambda played: 10 * (played.points / played.games) ** 2, of_match=True)
    gains = np.random.default_rng(3).normal(1, 3, (3, 3200))
    field = field_of(["ann"], ["one"])
    line = ranked(field, [leg_of(field, "ann", "one", one, n) for n, one in enumerate(gains)], scoring).entrants[0]
    assert line.score == pytest.approx(10 * gains.mean() ** 2)
    assert line.stderr == pytest.approx(20 * gains.mean() * gains.std() / 9600**0.5, rel=4 / math.sqrt(2 * 95))
