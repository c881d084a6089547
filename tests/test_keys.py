"""Seeds and their keys, of which no two uses share one."""

from __future__ import annotations

from typing import Any

import pytest

from tests.built_in import HOLDEM_TRAINING, TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.oracles.deals import key_of
from tournament.contests.two_card_draw.servers import make_recipe
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.keys import KEY_BYTES, drawn_seed, guessable, master_key, seed_fingerprint, sub_key, to_number
from tournament.leg import Leg
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin

KEY = key_of(7)
# Names that run into each other where nothing parts them.
NAMES = ["a", "aa", "b", "a,b", '"', "one", "1", "rand", "deals"]
SERVERS = ["1", "one", "a", "server_01"]


def schedules(key: bytes) -> list[list[Leg]]:
    """Legs of all contests, between bots and house players of the same names too."""
    bots = [Competitor(number, name, "wasm", name) for number, name in enumerate(NAMES)]
    house = [Competitor(number, name, "house", name) for number, name in enumerate(SERVERS)]
    changed: dict[str, Any] = {"sessions": 2}
    playing = Settings().playing() | changed
    all_legs = [list(RoundRobin(VON_NEUMANN_POKER.name, playing | {"duplicate": True}, key, bots).legs())]
    for contest in (TWO_CARD_DRAW, HOLDEM_TRAINING):
        settings = contest.settings().playing() | changed
        all_legs.append(list(AgainstHouse(contest.name, settings, key, bots, house).legs()))
    return all_legs


def test_no_two_uses_share_a_key() -> None:
    """Deals are shared where they are to be common, and nothing else with anything."""
    legs = [leg for legs in schedules(KEY) for leg in legs]
    seats = [seat for leg in legs for seat in leg.seats]
    used = {leg.plan.deals_key for leg in legs}
    pairs = len(NAMES) * (len(NAMES) - 1) // 2
    # A pairing's two duplicate legs see the same deals, and so do all entrants in a session against a house player.
    assert len(used) == pairs + 2 * 2 * len(SERVERS)
    helpers = {seat.helpers_key for seat in seats}
    numbers = {seat.random_seed for seat in seats}
    assert len(helpers) == len(numbers) == len(seats)
    assert all(len(key) == KEY_BYTES for key in used | helpers)
    recipes = {key_of(make_recipe(KEY, name).seed) for name in SERVERS}
    everything = [*used, *helpers, *recipes, KEY]
    assert len(set(everything)) == len(everything)
    assert not numbers & {to_number(key) for key in everything}


def test_keys_of_seed_never_change() -> None:
    """Differences mean other games for every seed."""
    assert master_key("1").hex() == "d5537c3e6aa7c838b8294d83fedb7c523c0e76250fc2e46ce7d6e7385aead080"
    assert seed_fingerprint(master_key("1")) == "ca0b4d7631ec3e8980f555f55e44c247"
    key = sub_key(master_key("1"), "leg", "00ff", "deals").hex()
    assert key == "09b9bdb6216c9f38bf9772e52778dd1ffc11a955bc8b5e6ebb95b5458ec07383"


def seed(value: object) -> str | None:
    return Settings.model_validate({"seed": value}).seed


def test_number_is_same_seed_however_given() -> None:
    assert seed(7) == seed("7") == seed("007") == "7" and seed(0) == seed("00") == "0"
    assert seed(2**256 - 1) == str(2**256 - 1)
    assert seed("a sentence of my own") == "a sentence of my own" and seed(None) is None


@pytest.mark.parametrize("value", [-1, 2**256, 1.0, True, "", "x" * 1001, "two\nlines"])
def test_wrong_seed_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="must be"):
        seed(value)


def test_drawn_seeds_are_new_and_long() -> None:
    drawn = {drawn_seed() for _ in range(100)}
    assert len(drawn) == 100
    assert all(len(bytes.fromhex(text)) == 16 and not guessable(text) for text in drawn)
