"""The schedule: every pair once, and what a leg's digest and deals depend on."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.deals import key_of
from tournament.contests.von_neumann_poker import Settings
from tournament.keys import seed_fingerprint
from tournament.leg import house_match_number, match_number
from tournament.runner.schedule.legs import AgainstHouse, Competitor, Replicas, RoundRobin, place_of

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


@given(fields, st.randoms(use_true_random=False))
def test_the_order_of_competitors_does_not_matter(field: list[Competitor], chance: Any) -> None:
    shuffled = list(field)
    chance.shuffle(shuffled)
    assert list(round_robin(shuffled).legs()) == list(round_robin(field).legs())


ANN, BOB, CAT = (Competitor(number, name, "wasm", name) for number, name in enumerate(("ann", "bob", "cat")))


def test_a_digest_is_the_sha256_of_a_json_list() -> None:
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


def test_seats_go_by_name_not_by_number() -> None:
    (leg,) = round_robin([Competitor(0, "zoe", "wasm", "z"), Competitor(1, "amy", "wasm", "a")]).legs()
    assert [(seat.name, seat.artifact) for seat in leg.seats] == [("amy", "a"), ("zoe", "z")]


Chance = tuple[bytes, int, int]


def chance_of(schedule: RoundRobin) -> dict[tuple[str, str, int], Chance]:
    """The key of each leg's deals, and where each rand() starts."""
    return {
        (x.name, y.name, leg.plan.number): (leg.plan.deals_key, x.random_seed, y.random_seed)
        for leg in schedule.legs()
        for x, y in [leg.seats]
    }


def parts(chance: Iterable[Chance]) -> set[bytes | int]:
    return set(chain.from_iterable(chance))


def test_both_legs_of_a_duplicate_match_have_the_same_deals_and_fresh_rand() -> None:
    several = replace(round_robin([ANN, BOB], duplicate=True), replicas=Replicas(2))
    legs = list(several.legs())
    one, other, *_ = legs
    assert one.plan.deals_key == other.plan.deals_key
    assert (one.plan.first_session, other.plan.first_session) == (0, SETTINGS["sessions"])
    assert [leg.plan.seats_swapped for leg in legs] == [False, True, False, True]
    assert len({leg.plan.deals_key for leg in legs}) == 2
    assert len(parts(chance_of(several).values())) == 2 + 8


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize(
    "changed",
    [
        lambda one: replace(one, competitors=[replace(ANN, artifact="edited"), BOB, CAT]),
        lambda one: replace(one, competitors=[replace(ANN, name="amy"), BOB, CAT]),
        lambda one: replace(one, competitors=[ANN, replace(BOB, artifact="edited"), CAT]),
        lambda one: replace(one, version="2.1"),
        lambda one: replace(one, settings=one.settings | {"faults_allowed": 7}),
        lambda one: replace(one, key=key_of(6)),
        lambda one: replace(one, rules="other rules"),
    ],
    ids=["edit", "rename", "edit of the opponent", "version", "settings", "seed", "rules"],
)
def test_a_change_of_what_a_leg_depends_on_changes_its_deals_and_both_rands(
    duplicate: bool, changed: Callable[[RoundRobin], RoundRobin]
) -> None:
    before = round_robin([ANN, BOB, CAT], duplicate=duplicate)
    after = chance_of(changed(before))
    met = [chance for pair, chance in after.items() if {"bob"} < {*pair} and "cat" not in pair]
    assert met and parts(met).isdisjoint(parts(chance_of(before).values()))
    assert chance_of(before) == chance_of(replace(before, competitors=[CAT, BOB, ANN]))


def test_a_match_without_the_edited_bot_keeps_its_chance() -> None:
    before = chance_of(round_robin([ANN, BOB, CAT]))
    after = chance_of(round_robin([replace(ANN, artifact="edited"), BOB, CAT]))
    assert {pair for pair in before if before[pair] == after[pair]} == {("bob", "cat", 0)}
    assert len(parts([*before.values(), *after.values()])) == 3 * 5


def test_versions_in_a_gauntlet_meet_the_same_chance_and_never_that_of_a_contest() -> None:
    """Whatever they are called: each opponent, and the bot itself, has the same rand() against it, too."""
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


@given(st.integers(0, 60_000), st.integers(0, 60_000))
def test_match_numbers_fit_and_are_one_to_one(one: int, other: int) -> None:
    if one == other:
        return
    number = match_number(one, other)
    assert number == match_number(other, one)
    assert 0 <= number < 2**31
    high = max(one, other)
    assert high * (high - 1) // 2 <= number < (high + 1) * high // 2


REPLICAS = st.integers(1, 4)


@given(fields, st.booleans(), REPLICAS)
def test_replicas_are_other_legs_of_the_same_matches(field: list[Competitor], duplicate: bool, replicas: int) -> None:
    """What there is with fewer stays as it is; all see deals of their own but the two legs of a duplicate pair."""
    one = round_robin(field, duplicate=duplicate)
    several = replace(one, replicas=Replicas(replicas))
    legs, first = list(several.legs()), list(one.legs())
    assert len(legs) == replicas * len(first)
    assert len({leg.digest for leg in legs}) == len(legs)
    assert legs[: len(first)] == first
    places = [place_of(leg.plan.match, leg.plan.number, several.legs_per_replica) for leg in legs]
    assert places == sorted(set(places))
    deals: dict[tuple[int, int], set[bytes]] = {}
    for leg in legs:
        replica, match = leg.plan.number // several.legs_per_replica, leg.plan.match
        deals.setdefault((replica, match), set()).add(leg.plan.deals_key)
    assert all(len(keys) == 1 for keys in deals.values())
    assert len(set.union(*deals.values())) == len(deals)
    assert len({seat.random_seed for leg in legs for seat in leg.seats}) == 2 * len(legs)


@given(fields, st.data())
def test_some_matches_may_have_more_replicas(field: list[Competitor], data: st.DataObject) -> None:
    pairs = [(x.name, y.name) for x in field for y in field if x.name < y.name]
    more = data.draw(st.dictionaries(st.sampled_from([*pairs, ("gone", "too")]), st.integers(1, 5)))
    number_of = {competitor.name: competitor.number for competitor in field} | {"gone": 98, "too": 99}
    by_match = {match_number(number_of[x], number_of[y]): count for (x, y), count in more.items()}
    schedule = replace(round_robin(field), replicas=Replicas(2, by_match))
    legs = list(schedule.legs())
    counts = Counter(leg.names for leg in legs)
    assert counts == {pair: max(2, more.get(pair, 2)) for pair in pairs}


def test_replicas_against_the_house_are_more_sessions() -> None:
    house = [Competitor(0, "server", "house", "its strategy")]
    settings = SETTINGS | {"sessions": 2}
    several = AgainstHouse(
        "c", settings, KEY, [ANN, BOB], house, replicas=Replicas(3, {house_match_number(BOB.number, 0): 4})
    )
    legs = list(several.legs())
    assert len(legs) == 2 * (3 + 4)
    longer = AgainstHouse("c", settings | {"sessions": 8}, KEY, [ANN, BOB], house)
    assert {leg.digest for leg in legs} < {leg.digest for leg in longer.legs()}
    places = [place_of(leg.plan.match, leg.plan.number, several.legs_per_replica) for leg in legs]
    assert places == sorted(set(places))
