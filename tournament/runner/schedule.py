"""Which legs a tournament consists of, and which of them are still to play."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from tournament.keys import number_of, seed_fingerprint, sub_key
from tournament.leg import Leg, LegPlan, PlaysAs, Seat


@dataclass(frozen=True)
class Competitor:
    """An entrant who can play, or a house player. `number` was given to him once and for good."""

    number: int
    name: str
    kind: PlaysAs
    artifact: str


class Schedule(Protocol):
    """The legs of a tournament, ordered by match and number, and how many there are."""

    @property
    def competitors(self) -> Sequence[Competitor]: ...
    @property
    def house(self) -> Sequence[Competitor]: ...
    @property
    def sessions_per_leg(self) -> int: ...
    def total(self) -> int: ...
    def legs(self) -> Iterator[Leg]: ...


def match_number(first: int, second: int) -> int:
    """The number of the match between two entrants: triangular, so that newcomers change no number."""
    low, high = sorted((first, second))
    return high * (high - 1) // 2 + low


def house_match_number(entrant: int, house: int) -> int:
    """The number of an entrant's match against a house player, so that newcomers among either change no number.

    Matches are numbered by growing squares (M. Szudzik, "An Elegant Pairing Function", 2006).
    """
    larger = max(entrant, house)
    return larger * larger + (entrant if entrant < house else larger + house)


@dataclass(frozen=True)
class RoundRobin:
    """All play all. Legs come by match number, those of a duplicate match one after the other.

    `key` is the master key of the seed; `version` the contest's `engine_version`, "" for legs that nobody records.
    """

    contest: str
    settings: dict[str, Any]
    key: bytes
    competitors: Sequence[Competitor]
    house: Sequence[Competitor] = ()
    version: str = ""

    @property
    def sessions_per_leg(self) -> int:
        return int(self.settings["sessions"])

    @property
    def legs_per_match(self) -> int:
        return 2 if self.settings["duplicate"] else 1

    def total(self) -> int:
        """How many legs there are."""
        count = len(self.competitors)
        return count * (count - 1) // 2 * self.legs_per_match

    def legs(self) -> Iterator[Leg]:
        """The legs, made one by one."""
        in_order = sorted(self.competitors, key=lambda competitor: competitor.number)
        for high, later in enumerate(in_order):
            for earlier in in_order[:high]:
                for number in range(self.legs_per_match):
                    yield self._leg(earlier, later, number)

    def _leg(self, one: Competitor, other: Competitor, number: int) -> Leg:
        x, y = sorted((one, other), key=lambda competitor: competitor.name)
        # Both legs of a duplicate match see the same deals.
        pairing = [x.name, y.name] if self.settings["deals"] == "independent" else []
        return Leg(
            digest=_sha256(
                [
                    self.version,
                    self.contest,
                    self.settings,
                    self._seed,
                    [x.name, x.artifact],
                    [y.name, y.artifact],
                    number,
                ]
            ),
            plan=LegPlan(
                match=match_number(x.number, y.number),
                number=number,
                sessions=self.settings["sessions"],
                deals_key=sub_key(self.key, "deals", self.contest, *pairing),
            ),
            x=_seat(self.key, self.contest, x, y, number),
            y=_seat(self.key, self.contest, y, x, number),
        )

    @cached_property
    def _seed(self) -> str:
        return seed_fingerprint(self.key)


@dataclass(frozen=True)
class AgainstHouse:
    """Every entrant against every house player, a leg for each session: bots start each one anew.

    Entrants sit in seat x. They all meet the same deals and the same dice of the
    house player, unless deals are independent. More sessions leave those that
    there were as they are. `key` and `version` as in RoundRobin.
    """

    contest: str
    settings: dict[str, Any]
    key: bytes
    competitors: Sequence[Competitor]
    house: Sequence[Competitor]
    version: str = ""

    @property
    def sessions_per_leg(self) -> int:
        return 1

    def total(self) -> int:
        """How many legs there are."""
        return len(self.competitors) * len(self.house) * int(self.settings["sessions"])

    def legs(self) -> Iterator[Leg]:
        """The legs, made one by one."""
        entrants = {competitor.number: competitor for competitor in self.competitors}
        house = {player.number: player for player in self.house}
        for larger in sorted(entrants.keys() | house.keys()):
            # As the matches are numbered: first the entrants before the house player of this number.
            if larger in house:
                for number in sorted(number for number in entrants if number < larger):
                    yield from self._match(entrants[number], house[larger])
            if larger in entrants:
                for number in sorted(number for number in house if number <= larger):
                    yield from self._match(entrants[larger], house[number])

    def _match(self, entrant: Competitor, player: Competitor) -> Iterator[Leg]:
        match = house_match_number(entrant.number, player.number)
        own = [entrant.name] if self.settings["deals"] == "independent" else []
        settings = {key: value for key, value in self.settings.items() if key != "sessions"}
        for number in range(self.settings["sessions"]):
            yield Leg(
                digest=_sha256(
                    [
                        self.version,
                        self.contest,
                        settings,
                        self._seed,
                        [entrant.name, entrant.artifact],
                        [player.name, player.artifact],
                        number,
                    ]
                ),
                plan=LegPlan(
                    match=match,
                    number=number,
                    sessions=1,
                    deals_key=sub_key(self.key, "deals against house", self.contest, player.name, number, *own),
                ),
                x=_seat(self.key, self.contest, entrant, player, number),
                y=_seat(self.key, self.contest, player, entrant, number),
            )

    @cached_property
    def _seed(self) -> str:
        return seed_fingerprint(self.key)


def _seat(key: bytes, contest: str, player: Competitor, opponent: Competitor, number: int) -> Seat:
    """A player's seat in a leg. House players and entrants may have the same names.

    rand() is SplitMix64 from a number of its own. The bot may know it: it is its
    chance, and leads to nobody else's. An opponent sees a few bits of a word in
    what the bot does with it, and would have 2^64 numbers to try.
    """
    place = (contest, player.kind == "house", player.name, opponent.name, number)
    return Seat(
        player.name,
        player.kind,
        player.artifact,
        random_seed=number_of(sub_key(key, "rand", *place)),
    )


def _sha256(parts: list[Any]) -> str:
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
