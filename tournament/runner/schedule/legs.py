"""Which legs a tournament consists of, and which of them are still to play."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

from tournament.keys import number_of, seed_fingerprint, sub_key
from tournament.leg import PROCESSES, Leg, LegPlan, PlaysAs, Seat, house_match_number, legs_per_replica
from tournament.runner.schedule.tables import combinations, drawn_tables, in_squares


@dataclass(frozen=True)
class Competitor:
    """An entrant who can play, or a house player. Its `number` never changes."""

    number: int
    name: str
    kind: PlaysAs
    artifact: str


# The entrants of a match, by the number of their seats.
Seats = tuple[Competitor, ...]


class Fixture(NamedTuple):
    """A leg of a schedule before it is worked out. Most are played already.

    `seats` are the entrants' by number; a house player has none.
    """

    match: int
    number: int
    digest: str
    seats: Seats
    house: Competitor | None = None

    @property
    def players(self) -> Seats:
        """The entrants by seat, then the house player."""
        return self.seats if self.house is None else (*self.seats, self.house)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names by seat."""
        return tuple(seat.name for seat in self.seats)

    @property
    def has_processes(self) -> bool:
        """Whether one of its bots is a process."""
        return any(seat.kind in PROCESSES for seat in self.seats)


@dataclass(frozen=True)
class Replicas:
    """How many replicas each match has: independent, of the stated length, with other deals, memory wiped.

    `more` has matches with more than the others, by their numbers.
    """

    of_all: int = 1
    more: Mapping[int, int] = field(default_factory=dict)

    def of(self, match: int) -> int:
        return max(self.of_all, self.more.get(match, 0))

    @property
    def most(self) -> int:
        return max(self.of_all, *self.more.values()) if self.more else self.of_all


ONE_OF_EACH = Replicas()


class MatchLegs(NamedTuple):
    """A match in a replica: its number, the numbers of its legs there, and who plays."""

    match: int
    numbers: range
    seats: Seats
    house: Competitor | None = None

    @property
    def players(self) -> Seats:
        """The entrants by seat, then the house player."""
        return self.seats if self.house is None else (*self.seats, self.house)


@dataclass(frozen=True)
class Schedule(ABC):
    """The legs of a tournament: replica by replica, in each by match and number.

    `rules` names the contest whose rules are played: contests with the same rules, seed and bots have the same games.
    `key` is the master key of the seed; `version` the contest's `engine_version`, "" for legs that aren't recorded.
    Where the seed isn't known, its `fingerprint` is enough to list the fixtures, but no leg can be worked out.
    `paired` names an entrant that is only tried: nothing random depends on its name and contents, so that another
    version of it meets the same, by keys that no contest has.
    """

    rules: str
    settings: dict[str, Any]
    key: bytes
    competitors: Sequence[Competitor]
    house: Sequence[Competitor] = ()
    version: str = ""
    replicas: Replicas = ONE_OF_EACH
    fingerprint: str = ""
    paired: str | None = None

    @property
    @abstractmethod
    def sessions_per_leg(self) -> int: ...
    @property
    @abstractmethod
    def legs_per_replica(self) -> int: ...
    @property
    @abstractmethod
    def legs_of_deals(self) -> int:
        """How many legs in a row have the same deals: those of a duplicate match."""

    @abstractmethod
    def digests(self) -> Digests:
        """What works out the digest of any leg."""

    @abstractmethod
    def matches(self) -> Iterator[MatchLegs]:
        """The matches of all legs, replica by replica."""

    def leg(self, fixture: Fixture) -> Leg:
        """A leg worked out.

        rand() is SplitMix64 from a number of the seat's own. The bot may know it: no one else's randomness follows from
        it. An opponent sees a few bits of each word in what the bot does with it, and would have 2^64 numbers to try.
        """
        chance, deals = self._chance_of(fixture), self._chance_of_deals(fixture)
        count = len(fixture.seats)
        # Versions of a bot that are compared have one role, and its rand(), whatever they are called.
        role = fixture.names.index(self.paired) if self.paired is not None else 0
        players = fixture.players
        seated = [
            Seat(
                player.name,
                player.kind,
                player.artifact,
                random_seed=number_of(sub_key(self.key, *chance, "rand", (place - role) % len(players))),
            )
            for place, player in enumerate(players)
        ]
        return Leg(
            digest=fixture.digest,
            plan=LegPlan(
                match=fixture.match,
                number=fixture.number,
                sessions=self.sessions_per_leg,
                deals_key=sub_key(self.key, *deals, "deals"),
                seats=count,
                first=(self._first_of(fixture) + role) % count,
            ),
            seats=tuple(seated[:count]),
            house=seated[count] if fixture.house else None,
        )

    @abstractmethod
    def _first_of(self, fixture: Fixture) -> int:
        """The seat that comes first in the leg's first session."""

    def _chance_of(self, fixture: Fixture) -> tuple[str, str]:
        """The label of all that is random in a leg: its digest, or that of the legs of any version of the bot."""
        if self.paired is None:
            return "leg", fixture.digest
        others = [player for player in fixture.players if player.kind == "house" or player.name != self.paired]
        return "leg of any version", self._digests.of((_ANYONE, *others), fixture.number).hex()

    @abstractmethod
    def _chance_of_deals(self, fixture: Fixture) -> tuple[str, str]:
        """The same of its deals, which legs that are to be compared share."""

    @cached_property
    def _digests(self) -> Digests:
        return self.digests()

    def fixtures(self) -> Iterator[Fixture]:
        """All legs before they are worked out."""
        digests = self.digests()
        for one in self.matches():
            for number in one.numbers:
                yield Fixture(one.match, number, digests.of(one.players, number).hex(), one.seats, one.house)

    def legs(self) -> Iterator[Leg]:
        """All of them, worked out."""
        return map(self.leg, self.fixtures())


@dataclass(frozen=True)
class RoundRobin(Schedule):
    """Entrants play each other. Legs of a replica come by match number, those of a duplicate match one after the other.

    Attributes:
        of: The entrant that plays in every match; None: all combinations are played.
        seats: Seats of a match; None: one match of all entrants.
        tables: Matches of a replica that each entrant hosts, its guests drawn; None: all combinations are played.
    """

    of: str | None = None
    seats: int | None = 2
    tables: int | None = None

    @property
    def sessions_per_leg(self) -> int:
        return int(self.settings["sessions"])

    @property
    def seat_count(self) -> int:
        """Seats of a match."""
        return len(self.competitors) if self.seats is None else self.seats

    @property
    def legs_per_replica(self) -> int:
        return legs_per_replica(self.settings, self.seat_count)

    @property
    def legs_of_deals(self) -> int:
        return self.legs_per_replica

    def digests(self) -> Digests:
        return Digests([self.version, self.rules, self.settings, self.fingerprint or seed_fingerprint(self.key)])

    def matches(self) -> Iterator[MatchLegs]:
        for replica in range(self.replicas.most):
            numbers = range(replica * self.legs_per_replica, (replica + 1) * self.legs_per_replica)
            all_play = replica < self.replicas.of_all
            for match, entrants in self._tables(replica):
                if self.of is not None and all(entrant.name != self.of for entrant in entrants):
                    continue
                if all_play or replica < self.replicas.of(match):
                    yield MatchLegs(match, numbers, self._seated(entrants))

    def _tables(self, replica: int) -> Iterator[tuple[int, Seats]]:
        """The matches of a replica by number, and who plays them."""
        in_order = sorted(self.competitors, key=lambda competitor: competitor.number)
        if self.seats is None:
            return iter([(0, tuple(in_order))] if in_order else [])
        if self.tables is None:
            return combinations(in_order, self.seats, lambda competitor: competitor.number)
        entrants = tuple((competitor.number, competitor.name) for competitor in in_order)
        fingerprint = self.fingerprint or seed_fingerprint(self.key)
        drawn = drawn_tables(fingerprint, entrants, self.seats, self.tables, replica)
        return ((match, tuple(in_order[place] for place in members)) for match, members in drawn)

    def _seated(self, entrants: Seats) -> Seats:
        """Entrants in the order of their seats: by name. Among many, one that is only tried is the first, so that all
        of its versions have the same neighbours."""
        if len(entrants) == 2:
            return entrants if entrants[0].name < entrants[1].name else entrants[::-1]
        return tuple(sorted(entrants, key=lambda entrant: (entrant.name != self.paired, entrant.name)))

    def _first_of(self, fixture: Fixture) -> int:
        # Of two the second one comes first in odd legs, so that no role goes by a bot's name.
        count = len(fixture.seats)
        if count <= 2:
            return fixture.number % count
        replica, place = divmod(fixture.number, self.legs_per_replica)
        return -(place + replica * self.sessions_per_leg) % count

    def _chance_of_deals(self, fixture: Fixture) -> tuple[str, str]:
        first = fixture.number - fixture.number % self.legs_of_deals
        if first != fixture.number:
            digest = self._digests.of(fixture.seats, first).hex()
            fixture = fixture._replace(number=first, digest=digest)
        return self._chance_of(fixture)


@dataclass(frozen=True)
class AgainstHouse(Schedule):
    """Every entrant against every house player, a leg for each session: bots start again in each.

    So a further replica is as many more sessions. House players have no seat. In a session against one, all entrants
    meet the same deals and dice, because their differences then vary far less; each has a rand() of its own. More
    sessions don't change the earlier ones.
    """

    @property
    def sessions_per_leg(self) -> int:
        return 1

    @property
    def legs_per_replica(self) -> int:
        return int(self.settings["sessions"])

    @property
    def legs_of_deals(self) -> int:
        return 1

    def digests(self) -> Digests:
        # Without the sessions: more of them don't change the earlier ones.
        settings = {key: value for key, value in self.settings.items() if key != "sessions"}
        return Digests([self.version, self.rules, settings, self.fingerprint or seed_fingerprint(self.key)])

    def matches(self) -> Iterator[MatchLegs]:
        entrants = {competitor.number: competitor for competitor in self.competitors}
        house = {player.number: player for player in self.house}
        for replica in range(self.replicas.most):
            numbers = range(replica * self.legs_per_replica, (replica + 1) * self.legs_per_replica)
            for one, other in in_squares(list(entrants), list(house)):
                match = house_match_number(one, other)
                if replica < self.replicas.of(match):
                    yield MatchLegs(match, numbers, (entrants[one],), house[other])

    def _first_of(self, fixture: Fixture) -> int:
        return 0

    def _chance_of_deals(self, fixture: Fixture) -> tuple[str, str]:
        if self.paired is not None:
            return self._chance_of(fixture)
        assert fixture.house
        return "leg of any entrant", self._digests.of((_ANYONE, fixture.house), fixture.number).hex()


# Stands for bots that meet the same. No competitor has its number.
_ANYONE = Competitor(-1, "", "wasm", "")


class Digests:
    """Digests of legs: the sha256 of a JSON list of what they all share, the players, and the leg's number.

    The shared part is written and hashed once, and so is each player. Its number tells it from others of its side.
    """

    def __init__(self, shared: list[Any]) -> None:
        self._start = hashlib.sha256(_json(shared)[:-1] + b",")
        self._before: dict[int, Any] = {}
        self._after: dict[tuple[str, int], bytes] = {}

    def of(self, players: Seats, number: int) -> bytes:
        """The digest of a leg of entrants by seat, and the house player, if there is one, after them."""
        first = players[0]
        before = self._before.get(first.number)
        if before is None:
            self._before[first.number] = before = self._start.copy()
            before.update(_player(first) + b",")
        digest = before.copy()
        for player in players[1:]:
            after = self._after.get(key := (player.kind, player.number))
            if after is None:
                self._after[key] = after = _player(player) + b","
            digest.update(after)
        digest.update(b"%d]" % number)
        return cast(bytes, digest.digest())


def _player(player: Competitor) -> bytes:
    return _json([player.name, player.artifact])


def _json(parts: list[Any]) -> bytes:
    return json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
