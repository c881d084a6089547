"""The schedule: every pair once, and what a leg's digest and deals depend on."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.deals import key_of
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import seed_fingerprint
from tournament.leg import match_number
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin, Schedule
from tournament.runner.schedule.limits import too_few_authors, too_many

SETTINGS = Settings.model_validate({}).playing()
KEY = key_of(5)
names = st.text("abcXYZ019_.+-", min_size=1, max_size=8)
fields = st.lists(names, min_size=2, max_size=12, unique=True).map(
    lambda chosen: [Competitor(number, name, "wasm", f"artifact of {name}") for number, name in enumerate(chosen)]
)


def round_robin(field: list[Competitor], key: bytes = KEY, **changes: Any) -> RoundRobin:
    return RoundRobin("von_neumann_poker", {**SETTINGS, **changes}, key, field)


@given(fields, st.booleans())
def test_every_pair_plays_once_in_order(field: list[Competitor], duplicate: bool) -> None:
    schedule = round_robin(field, duplicate=duplicate)
    legs = list(schedule.legs())
    pairs = {leg.names for leg in legs}
    assert pairs == {(x.name, y.name) for x in field for y in field if x.name < y.name}
    assert len(legs) == len(pairs) * (2 if duplicate else 1)
    places = [(leg.plan.match, leg.plan.number) for leg in legs]
    assert places == sorted(set(places))
    assert len({leg.digest for leg in legs}) == len(legs)


ANN, BOB, CAT = (Competitor(number, name, "wasm", name) for number, name in enumerate(("ann", "bob", "cat")))


def test_digest_is_sha256_of_json_list() -> None:
    """Records that were played stay what they are only as long as this does."""
    house = [Competitor(0, "one", "house", "one")]
    for schedule, settings, y in (
        (RoundRobin("c", SETTINGS | {"duplicate": True}, KEY, [ANN, BOB], version="1.2"), {}, BOB),
        (AgainstHouse("c", SETTINGS | {"sessions": 3}, KEY, [ANN], house, "1.2"), {"sessions"}, house[0]),
    ):
        shared = {key: value for key, value in schedule.settings.items() if key not in settings}
        expected = [
            json.dumps(
                ["1.2", "c", shared, seed_fingerprint(KEY), [ANN.name, ANN.artifact], [y.name, y.artifact], number],
                sort_keys=True,
                separators=(",", ":"),
            )
            for number in range(schedule.legs_per_replica)
        ]
        assert [leg.digest for leg in schedule.legs()] == [sha256(text.encode()).hexdigest() for text in expected]


def places_of(schedule: Schedule) -> list[tuple[int, int, int]]:
    """Replica, match and number of each leg."""
    return [(one.number // schedule.legs_per_replica, one.match, one.number) for one in schedule.fixtures()]


Chance = tuple[bytes, int, int]


def chance_of(schedule: RoundRobin) -> dict[tuple[str, str, int], Chance]:
    """Return the key of each leg's deals, and where each rand() starts."""
    return {
        (x.name, y.name, leg.plan.number): (leg.plan.deals_key, x.random_seed, y.random_seed)
        for leg in schedule.legs()
        for x, y in [leg.seats]
    }


def parts(chance: Iterable[Chance]) -> set[bytes | int]:
    return set(chain.from_iterable(chance))


@pytest.mark.parametrize("by_name", [False, True])
def test_first_bot_of_match_is_drawn_unless_prescribed(by_name: bool) -> None:
    field = [Competitor(number, f"bot_{number:02}", "wasm", "same") for number in range(16)]
    schedule = replace(round_robin(field), replicas=Replicas(2), first_by_name=by_name)
    starts = [leg.plan.seats_swapped for leg in schedule.legs()]
    matches = len(starts) // 2
    assert [not start for start in starts[:matches]] == starts[matches:], "replicas alternate"
    # Of 120 matches each way; four standard errors are 22.
    assert sum(starts[:matches]) == 0 if by_name else abs(sum(starts[:matches]) - 60) < 22


@pytest.mark.parametrize(
    "changed",
    [
        lambda one: replace(one, competitors=[replace(ANN, artifact="edited"), BOB, CAT]),
        lambda one: replace(one, competitors=[ANN, replace(BOB, artifact="edited"), CAT]),
        lambda one: replace(one, version="2.1"),
        lambda one: replace(one, settings=one.settings | {"max_faults": 7}),
        lambda one: replace(one, key=key_of(6)),
        lambda one: replace(one, rules="other rules"),
    ],
    ids=["edit", "edit of the opponent", "version", "settings", "seed", "rules"],
)
def test_change_of_input_changes_deals_and_both_rands(changed: Callable[[RoundRobin], RoundRobin]) -> None:
    before = round_robin([ANN, BOB, CAT], duplicate=True)
    after = chance_of(changed(before))
    met = [chance for pair, chance in after.items() if {"bob"} < {*pair} and "cat" not in pair]
    assert met and parts(met).isdisjoint(parts(chance_of(before).values()))
    assert chance_of(before) == chance_of(replace(before, competitors=[CAT, BOB, ANN]))


def test_versions_of_bot_in_match_share_chance() -> None:
    """Names don't matter, and the bot and its opponents have the same rand(), too."""
    field = [BOB, CAT]
    versions = [Competitor(5, name, "wasm", name) for name in ("ann", "bos", "zoe")]
    met = []
    for version in versions:
        schedule = replace(round_robin([*field, version], duplicate=True), of=version.name, paired=version.name)
        legs = [(leg, leg.seats if leg.names[0] == version.name else leg.seats[::-1]) for leg in schedule.legs()]
        met.append(
            {f"{opponent.name} {leg.plan.number}": (leg.plan.deals_key, own, opponent) for leg, (own, opponent) in legs}
        )
        of_contest = parts(chance_of(replace(schedule, paired=None, of=None)).values())
        assert of_contest.isdisjoint(parts(chance_of(schedule).values()))
    seeds = [{name: (key, own.random_seed, other.random_seed) for name, (key, own, other) in m.items()} for m in met]
    assert seeds[0] == seeds[1] == seeds[2] and len(seeds[0]) == 4


def test_match_numbers_fit_and_are_one_to_one() -> None:
    assert [match_number(one, other) for other in range(40) for one in range(other)] == list(range(780))
    assert match_number(60_000, 59_999) == match_number(59_999, 60_000) < 2**31


REPLICAS = st.integers(1, 4)


@given(fields, st.booleans(), REPLICAS)
def test_replicas_have_legs_and_deals_of_their_own(field: list[Competitor], duplicate: bool, replicas: int) -> None:
    """More replicas change none of the first ones, and only legs of a duplicate pair share deals."""
    one = round_robin(field, duplicate=duplicate)
    several = replace(one, replicas=Replicas(replicas))
    legs, first = list(several.legs()), list(one.legs())
    assert len(legs) == replicas * len(first)
    assert len({leg.digest for leg in legs}) == len(legs)
    assert legs[: len(first)] == first
    places = places_of(several)
    assert places == sorted(set(places))
    deals: dict[tuple[int, int], set[bytes]] = {}
    for leg in legs:
        replica, match = leg.plan.number // several.legs_per_replica, leg.plan.match
        deals.setdefault((replica, match), set()).add(leg.plan.deals_key)
    assert all(len(keys) == 1 for keys in deals.values())
    assert len(set.union(*deals.values())) == len(deals)
    assert len({seat.random_seed for leg in legs for seat in leg.seats}) == 2 * len(legs)


def table(field: list[Competitor], seats: int | None, **changes: Any) -> RoundRobin:
    return RoundRobin("c", {**SETTINGS, "sessions": 3, **changes}, KEY, field, seats=seats)


def seated(schedule: Schedule) -> list[tuple[int, tuple[str, ...]]]:
    """Match and names of each leg, in order."""
    return [(one.match, one.names) for one in schedule.fixtures()]


@given(fields, st.integers(1, 5), st.data())
def test_combinations_are_numbered_in_colex_order(field: list[Competitor], seats: int, data: st.DataObject) -> None:
    there = data.draw(st.lists(st.sampled_from(field), unique=True))
    every = [
        tuple(sorted(chosen, key=lambda one: one.number, reverse=True))
        for chosen in itertools.combinations(field, seats)
    ]
    in_order = sorted(every, key=lambda chosen: [one.number for one in chosen])
    expected = [(number, tuple(sorted(one.name for one in chosen))) for number, chosen in enumerate(in_order)]
    assert seated(table(field, seats)) == expected
    names = {one.name for one in there}
    assert seated(table(there, seats)) == [(number, who) for number, who in expected if names.issuperset(who)]


@given(fields, st.integers(2, 4), st.integers(1, 6), st.integers(1, 3))
def test_drawn_tables_seat_every_host_with_others(
    field: list[Competitor], seats: int, tables: int, replicas: int
) -> None:
    seats = min(seats, len(field))
    schedule = replace(table(field, seats), tables=tables, replicas=Replicas(replicas))
    assert places_of(schedule) == sorted(set(places_of(schedule)))
    assert len({one.digest for one in schedule.fixtures()}) == len(places_of(schedule))
    for replica in range(replicas):
        drawn = [one for one in schedule.fixtures() if one.number == replica]
        assert len({one.names for one in drawn}) == len(drawn) <= tables * len(field)
        assert all(len({*one.names}) == seats and [*one.names] == sorted(one.names) for one in drawn)
        assert {one.name for one in field} == {name for one in drawn for name in one.names}
    fewer = replace(schedule, tables=tables - 1) if tables > 1 else replace(schedule, replicas=Replicas(1))
    assert {one.digest for one in fewer.fixtures()} <= {one.digest for one in schedule.fixtures()}


def test_new_bot_changes_only_its_own_tables() -> None:
    field = [Competitor(number, f"bot {number:02}", "wasm", f"{number}") for number in range(40)]
    before, after = (replace(table(some, 4), tables=5) for some in (field[:-1], field))
    played = {(one.match, one.digest) for one in before.fixtures()}
    kept = [one for one in after.fixtures() if field[-1].name not in one.names]
    assert {(one.match, one.digest) for one in kept} <= played
    hosted, entered = 5, len(list(after.fixtures())) - len(kept)
    assert hosted <= entered < 4 * hosted and len(kept) > 0.85 * len(played)
    renamed = replace(before, competitors=[replace(field[0], name="bot 99"), *field[1:-1]])
    assert {one.names for one in renamed.fixtures()} != {one.names for one in before.fixtures()}


@given(st.lists(st.sampled_from(["", "ann", "bob", "cat"]), min_size=8, max_size=20))
def test_drawn_tables_separate_bots_of_one_author(authors: list[str]) -> None:
    field = [Competitor(n, f"bot {n:02}", "wasm", f"{n}", author) for n, author in enumerate(authors)]
    schedule = replace(table(field, 4), tables=3)
    if len({player.author or player.name for player in field}) < 4:
        assert "a table of 4 needs bots of 4 authors, and these" in too_few_authors(schedule)
        return
    fixtures = list(schedule.fixtures())
    for fixture in fixtures:
        known = [player.author for player in fixture.seats if player.author]
        assert len(fixture.seats) == 4 and len(known) == len({*known})
    assert {player.name for player in field} == {name for fixture in fixtures for name in fixture.names}


def test_legs_of_duplicate_match_share_deals_and_rotate() -> None:
    four = [*(ANN, BOB, CAT), Competitor(3, "dot", "wasm", "dot")]
    legs = list(replace(table(four, 4, duplicate=True), replicas=Replicas(4)).legs())
    assert len(legs) == 16 and len({leg.plan.deals_key for leg in legs}) == 4
    assert [leg.plan.rotation for leg in legs] == [0, 1, 2, 3] * 4
    assert [leg.plan.replica for leg in legs] == [number // 4 for number in range(16)]


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        (table([Competitor(number, f"{number}", "wasm", "") for number in range(65)], None), "at most 64 seats"),
        (table([Competitor(number, f"{number}", "wasm", "") for number in range(200)], 4), "set tables = 20"),
        (table([Competitor(number, f"{number}", "wasm", "") for number in range(99, 99 + 20)], 18), "119 names"),
    ],
)
def test_too_many_legs_or_seats_are_refused(schedule: RoundRobin, problem: str) -> None:
    assert problem in too_many(schedule)
    assert not too_many(replace(schedule, seats=4, tables=20))
