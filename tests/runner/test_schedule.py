"""The schedule: every pair once, and what a leg's digest and deals depend on."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.oracles.deals import key_of
from tournament.contests.von_neumann_poker import Settings
from tournament.keys import seed_fingerprint
from tournament.leg import match_number
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
    pairs = {(leg.x.name, leg.y.name) for leg in legs}
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
    assert (leg.x.name, leg.x.artifact, leg.y.name, leg.y.artifact) == ("amy", "a", "zoe", "z")


def test_both_legs_of_a_duplicate_match_have_the_same_deals_and_fresh_rand() -> None:
    for deals in ("common", "independent"):
        one, other = round_robin([ANN, BOB], duplicate=True, deals=deals).legs()
        assert one.plan.deals_key == other.plan.deals_key
        assert (one.plan.first_session, other.plan.first_session) == (0, SETTINGS["sessions"])
        assert len({one.x.random_seed, one.y.random_seed, other.x.random_seed, other.y.random_seed}) == 4


def test_common_deals_are_common_and_independent_ones_are_not() -> None:
    field = [ANN, BOB, CAT]
    assert len({leg.plan.deals_key for leg in round_robin(field).legs()}) == 1
    assert len({leg.plan.deals_key for leg in round_robin(field, deals="independent").legs()}) == 3
    (own,) = round_robin([ANN, BOB], deals="independent").legs()
    assert own in list(round_robin(field, deals="independent").legs())


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


@given(fields, st.booleans(), REPLICAS, st.booleans())
def test_replicas_are_other_legs_of_the_same_matches(
    field: list[Competitor], duplicate: bool, replicas: int, independent: bool
) -> None:
    """What there is with fewer stays as it is; all see deals of their own but the two legs of a duplicate pair."""
    changes: dict[str, Any] = {"duplicate": duplicate, "deals": "independent" if independent else "common"}
    one = round_robin(field, **changes)
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
        deals.setdefault((replica, match if independent else 0), set()).add(leg.plan.deals_key)
    assert all(len(keys) == 1 for keys in deals.values())
    assert len(set.union(*deals.values())) == len(deals)
    assert len({leg.x.random_seed for leg in legs} | {leg.y.random_seed for leg in legs}) == 2 * len(legs)


@given(fields, st.data())
def test_some_matches_may_have_more_replicas(field: list[Competitor], data: st.DataObject) -> None:
    pairs = [(x.name, y.name) for x in field for y in field if x.name < y.name]
    more = data.draw(st.dictionaries(st.sampled_from([*pairs, ("gone", "too")]), st.integers(1, 5)))
    schedule = replace(round_robin(field), replicas=Replicas(2, more))
    legs = list(schedule.legs())
    counts = Counter((leg.x.name, leg.y.name) for leg in legs)
    assert counts == {pair: max(2, more.get(pair, 2)) for pair in pairs}


def test_replicas_against_the_house_are_more_sessions() -> None:
    house = [Competitor(0, "server", "house", "its strategy")]
    settings = SETTINGS | {"sessions": 2}
    several = AgainstHouse("c", settings, KEY, [ANN, BOB], house, replicas=Replicas(3, {("bob", "server"): 4}))
    legs = list(several.legs())
    assert len(legs) == 2 * (3 + 4)
    longer = AgainstHouse("c", settings | {"sessions": 8}, KEY, [ANN, BOB], house)
    assert {leg.digest for leg in legs} < {leg.digest for leg in longer.legs()}
    places = [place_of(leg.plan.match, leg.plan.number, several.legs_per_replica) for leg in legs]
    assert places == sorted(set(places))
