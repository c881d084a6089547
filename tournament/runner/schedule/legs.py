"""Schedules: the legs of a tournament, and the keys of each leg."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.keys import SubKeys, seed_fingerprint, to_number
from tournament.leg import Leg, LegPlan, Seat, house_match_number, legs_per_replica
from tournament.records.self_play import copy_name
from tournament.runner.schedule.digests import Digests
from tournament.runner.schedule.fixtures import (
    ONE_REPLICA,
    Competitor,
    Fixture,
    MatchColumns,
    MatchLegs,
    Replicas,
    Seats,
)
from tournament.runner.schedule.tables import colex_numbers, combinations, drawn_tables, in_squares


@dataclass(frozen=True)
class Schedule(ABC):
    """The legs of a tournament: replica by replica, in each by match and number.

    Attributes:
        rules: Contest whose rules are played. Contests with the same rules, seed and bots have the same games.
        settings: Settings on which games depend. They must not be changed.
        key: Master key of the seed.
        competitors: The entrants that can play, in any order. `MatchColumns.players` has their indices.
        house: The house players, in any order. Empty in a contest without house players, the default.
        version: The contest's `engine_version`, "" for legs that aren't recorded.
        replicas: Number of replicas of each match, by default one.
        fingerprint: Fingerprint of the seed, which suffices to list the fixtures without the key. If it is "", it is
            computed from the key.
        paired: Name of an entrant that is only tried, None if there is none. Nothing random depends on its name and
            contents. So another version meets the same deals and opponents, by keys that no contest has.
    """

    rules: str
    settings: dict[str, Any]
    key: bytes
    competitors: Sequence[Competitor]
    house: Sequence[Competitor] = ()
    version: str = ""
    replicas: Replicas = ONE_REPLICA
    fingerprint: str = ""
    paired: str | None = None

    @property
    @abstractmethod
    def sessions_per_leg(self) -> int:
        """Number of sessions of a leg."""

    @property
    @abstractmethod
    def legs_per_replica(self) -> int:
        """Number of legs of a match in each replica."""

    @property
    @abstractmethod
    def legs_sharing_deals(self) -> int:
        """Number of consecutive legs with the same deals, as in a duplicate match."""

    @abstractmethod
    def digests(self) -> Digests:
        """Return a new object that computes the digest of any leg."""

    @abstractmethod
    def columns(self) -> MatchColumns:
        """Return the matches of all legs, replica by replica, in each by number, ascending."""

    @property
    def players(self) -> Seats:
        """All players: the competitors, then the house players."""
        return (*self.competitors, *self.house)

    def matches(self) -> Iterator[MatchLegs]:
        """Yield the matches one by one, replica by replica, in each by number, ascending."""
        columns, players, each = self.columns(), self.players, self.legs_per_replica
        for match, replica, places in zip(columns.match.tolist(), columns.replica.tolist(), columns.players.tolist()):
            match_players = tuple(players[place] for place in places)
            yield MatchLegs(match, range(replica * each, (replica + 1) * each), *self.split(match_players))

    def split(self, players: Seats) -> tuple[Seats, Competitor | None]:
        """Return the players of a match as the entrants by seat and the house player.

        Args:
            players: The entrants by seat, then the house player if the schedule has any.

        Returns:
            The entrants, and the house player, which is None without house players.
        """
        return (players[:-1], players[-1]) if self.house else (players, None)

    def seats_of(self, matches: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return rows of `MatchColumns.players` without the house player, a column for each seat.

        The result shares the memory of the rows, and is the same array without house players.
        """
        return matches[:, :-1] if self.house else matches

    def leg(self, fixture: Fixture) -> Leg:
        """Return a leg with its keys. Seats that are out in the fixture get the kind "out".

        rand() is SplitMix64 from a number of the seat's own. The bot can know this number, because no other randomness
        follows from it. An opponent sees a few bits of each word in the bot's answers, and would have to try 2⁶⁴
        numbers.
        """
        chance, deals = self._chance_label(fixture), self._deals_label(fixture)
        match, number, digest, seats, house, out = fixture
        keys, players = SubKeys(self.key, *chance), seats if house is None else (*seats, house)
        count, among = len(seats), len(players)
        # Versions of a bot that are compared have one role and its rand(), no matter what their names are.
        role = fixture.names.index(self.paired) if self.paired is not None else 0
        seated = [
            Seat(
                player.name,
                "out" if place in out else player.kind,
                player.artifact,
                to_number(keys.of("rand", (place - role) % among)),
            )
            for place, player in enumerate(players)
        ]
        deals_key = (keys if deals == chance else SubKeys(self.key, *deals)).of("deals")
        rotation = (self._rotation(fixture, keys) + role) % count
        plan = LegPlan(
            match, number, self.sessions_per_leg, deals_key, count, rotation, number // self.legs_per_replica
        )
        return Leg(digest, plan, tuple(seated[:count]), seated[count] if house else None)

    @abstractmethod
    def _rotation(self, fixture: Fixture, keys: SubKeys) -> int:
        """Return the number of positions by which a leg moves its bots from those that its keys draw for them.

        The caller takes it modulo the number of seats.

        Args:
            fixture: The leg.
            keys: The leg's own keys.
        """

    def _chance_label(self, fixture: Fixture) -> tuple[str, str]:
        """Return the label of all that is random in a leg: a kind, and its digest or that of any version of the bot."""
        if self.paired is None:
            return "leg", fixture.digest
        other_players = [player for player in fixture.players if player.kind == "house" or player.name != self.paired]
        return "leg of any version", self._digests.of((_ANYONE, *other_players), fixture.number).hex()

    @abstractmethod
    def _deals_label(self, fixture: Fixture) -> tuple[str, str]:
        """Return the label of a leg's deals, which legs with the same deals share."""

    @cached_property
    def _digests(self) -> Digests:
        return self.digests()

    def fixtures(self) -> Iterator[Fixture]:
        """Yield all legs before their keys are computed: replica by replica, in each by match and leg number.

        No bot is out in them.
        """
        digests = self.digests()
        for one in self.matches():
            for number in one.numbers:
                yield Fixture(one.match, number, digests.of(one.players, number).hex(), one.seats, one.house)

    def legs(self) -> Iterator[Leg]:
        """Yield all legs with their keys, in the order of `fixtures`."""
        return map(self.leg, self.fixtures())


@dataclass(frozen=True)
class RoundRobin(Schedule):
    """Entrants that play each other.

    Legs of a replica are ordered by match number, and those of a duplicate match follow each other.

    Attributes:
        of: Name of the entrant that plays in every match. Other matches are left out. None keeps all matches.
        seats: Seats of a match, with those of house bots; None: one match of all entrants.
        tables: Matches of a replica that each entrant hosts, its guests drawn; None: all combinations are played. A
            table with the same players as an earlier one of the replica is left out.
        against_copies: Whether each entrant plays its copy alone. Entrants without a copy don't play.
        first_by_name: Whether of two seats the first by name begins the first leg. Otherwise this is drawn. In either
            case the beginner alternates from leg to leg.
    """

    of: str | None = None
    seats: int | None = 2
    tables: int | None = None
    against_copies: bool = False
    first_by_name: bool = False

    @cached_property
    def sessions_per_leg(self) -> int:
        """Number of sessions of a leg."""
        return int(self.settings["sessions"])

    @property
    def house_seats(self) -> int:
        """Number of a match's seats that are the house bots', which are the last ones. 0 without that setting."""
        return int(self.settings.get("house_seats", 0))

    @property
    def entrants(self) -> list[int]:
        """Indices of the competitors that draw or share the other seats, by their numbers, ascending.

        Without `house_seats` these are all competitors, also the host's own bots.
        """
        return self._numbered(lambda player: not (self.house_seats and player.is_house))

    @property
    def house_bots(self) -> list[int]:
        """Indices of the competitors that have the house's seats, by their numbers. Empty without `house_seats`."""
        return self._numbered(lambda player: bool(self.house_seats) and player.is_house)

    def _numbered(self, belongs: Callable[[Competitor], bool]) -> list[int]:
        """Return the indices of the competitors that the function accepts, by the competitors' numbers, ascending."""
        indices = [place for place, player in enumerate(self.competitors) if belongs(player)]
        return sorted(indices, key=lambda place: self.competitors[place].number)

    @property
    def seat_count(self) -> int:
        """Number of seats of a match, with those of house bots."""
        return len(self.entrants) + self.house_seats if self.seats is None else self.seats

    @cached_property
    def legs_per_replica(self) -> int:
        """Number of legs of a match in one replica: one for each seat if the match is duplicate, otherwise 1."""
        return legs_per_replica(self.settings, self.seat_count)

    @property
    def legs_sharing_deals(self) -> int:
        """Number of consecutive legs that have the same deals: all of a match in one replica."""
        return self.legs_per_replica

    def digests(self) -> Digests:
        """Return a new object that computes the digests of its legs, from all settings and the seed's fingerprint."""
        return Digests([self.version, self.rules, self.settings, self.fingerprint or seed_fingerprint(self.key)])

    def columns(self) -> MatchColumns:
        """Return numbers and players of all matches, replica by replica, in each by number, ascending.

        The players of a row are in the order of their seats: by name, with house bots last. Of three and more, an
        entrant that is only tried is the first.
        """
        if self.tables is not None:
            drawn = [self._drawn(replica) for replica in range(self.replicas.most)]
            matches, tables = [match for match, _ in drawn], [table for _, table in drawn]
        else:
            numbers = [player.number for player in self.competitors]
            tables = [self._copy_pairs() if self.against_copies else self._combinations()]
            # Tables of everybody differ by their house bots alone.
            numbered = tables[0] if self.seats else self._combined(self.house_bots, self.house_seats)
            matches = [colex_numbers(numbers, numbered)]
            in_order = np.argsort(matches[0], kind="stable")
            tables, matches = [tables[0][in_order]], [matches[0][in_order]]
        if self.of is not None:
            whose = [player.name == self.of for player in self.competitors]
            among = [np.array(whose, bool)[table].any(axis=1) for table in tables]
            matches = [match[some] for match, some in zip(matches, among)]
            tables = [table[some] for table, some in zip(tables, among)]
        return _in_replicas(self.replicas, matches, [self._seated(table) for table in tables])

    def _combinations(self) -> Ints:
        """Return the indices of the competitors in each match, a row each, in a row ordered by number.

        Each combination of entrants meets each combination of house bots. Rows go by the entrants in colexicographic
        order, then by the house bots. There are none if competitors are too few.
        """
        own = self._combined(self.entrants, self.seat_count - self.house_seats)
        house = self._combined(self.house_bots, self.house_seats)
        tables = np.hstack([np.repeat(own, len(house), axis=0), np.tile(house, (len(own), 1))])
        return self._by_number(tables) if self.house_seats else tables

    def _combined(self, indices: list[int], count: int) -> Ints:
        """Return the combinations of `count` of these indices, a row each, in colexicographic order of their places.

        For a count of 0 there is one empty row, and no row if there are fewer indices than the count.
        """
        tables: Ints = np.array(indices, np.int64)[combinations(len(indices), count)]
        return tables

    def _by_number(self, tables: Ints) -> Ints:
        """Return tables with each row ordered by the competitors' numbers."""
        number = np.array([player.number for player in self.competitors], np.int64)
        ordered: Ints = np.take_along_axis(tables, np.argsort(number[tables], axis=1), axis=1)
        return ordered

    def _copy_pairs(self) -> Ints:
        """Return the indices of each competitor and its copy, a row each, in a row ordered by number.

        Rows ascend by the larger number of the two. Competitors without a copy are left out.
        """
        index_by_name = {player.name: place for place, player in enumerate(self.competitors)}
        number = [player.number for player in self.competitors]
        pairs = [
            sorted((place, index_by_name[copy]), key=number.__getitem__)
            for name, place in index_by_name.items()
            if (copy := copy_name(name)) in index_by_name
        ]
        pairs.sort(key=lambda pair: number[pair[1]])
        return np.array(pairs, np.int64).reshape(-1, 2)

    def _drawn(self, replica: int) -> tuple[Ints, Ints]:
        """Return the numbers of the drawn matches of a replica, ascending, and the indices of their players.

        In a row of players, entrants ascend by number, and house bots follow, also by number.
        """
        places, house = self.entrants, self.house_bots
        players = [self.competitors[place] for place in places]
        # Versions of a bot that is only tried meet the same tables, no matter what their names are.
        labels = ("" if player.name == self.paired else player.name for player in players)
        entrants = tuple((player.number, name, player.author) for player, name in zip(players, labels))
        names = tuple(self.competitors[place].name for place in house)
        fingerprint = self.fingerprint or seed_fingerprint(self.key)
        seats = self.seat_count - self.house_seats
        drawn = drawn_tables(fingerprint, entrants, seats, self.tables or 0, replica, names, self.house_seats)
        members = np.array([chosen for _, chosen in drawn], np.int64).reshape(-1, self.seat_count)
        return np.array([match for match, _ in drawn], np.int64), np.array([*places, *house], np.int64)[members]

    def _seated(self, tables: Ints) -> Ints:
        """Return tables with each row in the order of the seats. Rows keep their order.

        They go by name, and bots that have the house's seats are last. Among many, an entrant that is only tried is
        the first, so that all of its versions have the same neighbours.
        """
        paired = None if tables.shape[1] == 2 else self.paired
        names = [player.name for player in self.competitors]
        house = set(self.house_bots)
        by_seat = np.array(
            sorted(range(len(names)), key=lambda place: (place in house, names[place] != paired, names[place])),
            np.int64,
        )
        seat = np.empty_like(by_seat)
        seat[by_seat] = np.arange(len(by_seat))
        seated: Ints = by_seat[np.sort(seat[tables], axis=1)]
        return seated

    def _rotation(self, fixture: Fixture, keys: SubKeys) -> int:
        """Return the rotation of a leg, which the caller takes modulo the number of seats.

        Args:
            fixture: The leg.
            keys: Keys of the leg. For later legs of two seats, those of the match's first leg are used.
        """
        # For two bots the key draws which one comes first in a match's first leg. Then they alternate, so that no role
        # depends on a bot's name. For more the key draws the positions. The legs of a duplicate match share it, and
        # differ only by their rotation.
        count = len(fixture.seats)
        if count != 2:
            return fixture.number % (self.legs_per_replica if count > 2 else 1)
        if self.first_by_name:
            return fixture.number
        if fixture.number:
            start = fixture._replace(number=0, digest=self._digests.of(fixture.players, 0).hex())
            keys = SubKeys(self.key, *self._chance_label(start))
        return fixture.number + to_number(keys.of("first")) % 2

    def _deals_label(self, fixture: Fixture) -> tuple[str, str]:
        """Return the label of a leg's deals: that of the first leg with the same deals, in which no bot is out."""
        first = fixture.number - fixture.number % self.legs_sharing_deals
        if first != fixture.number:
            digest = self._digests.of(fixture.seats, first).hex()
            fixture = fixture._replace(number=first, digest=digest)
        return self._chance_label(fixture)


@dataclass(frozen=True)
class AgainstHouse(Schedule):
    """Every entrant against every house player, with a leg for each session, in which bots start again.

    So a further replica adds as many sessions as the settings have, which don't change earlier ones. House players have
    no seat. All entrants meet the same deals and dice in a session, because their differences then vary far less. Each
    has its own rand().
    """

    @property
    def sessions_per_leg(self) -> int:
        """Number of sessions of a leg, always 1."""
        return 1

    @property
    def legs_per_replica(self) -> int:
        """Number of legs of a match in one replica: the setting `sessions`."""
        return int(self.settings["sessions"])

    @property
    def legs_sharing_deals(self) -> int:
        """Number of consecutive legs that have the same deals: 1, because each leg has its own."""
        return 1

    def digests(self) -> Digests:
        """Return a new object that computes the digests of its legs. They don't depend on the number of sessions."""
        # The sessions are omitted, because more of them don't change the earlier ones.
        settings = {key: value for key, value in self.settings.items() if key != "sessions"}
        return Digests([self.version, self.rules, settings, self.fingerprint or seed_fingerprint(self.key)])

    def columns(self) -> MatchColumns:
        """Return numbers and players of all matches, replica by replica, in each by number, ascending.

        A row of players is the index of an entrant and that of a house player. Without either kind there are no rows.
        """
        entrants = {competitor.number: place for place, competitor in enumerate(self.competitors)}
        house = {player.number: place for place, player in enumerate(self.house, len(entrants))}
        pairs = list(in_squares(list(entrants), list(house)))
        match = np.array([house_match_number(one, other) for one, other in pairs], np.int64)
        players = np.array([(entrants[one], house[other]) for one, other in pairs], np.int64).reshape(-1, 2)
        return _in_replicas(self.replicas, [match], [players])

    def _rotation(self, fixture: Fixture, keys: SubKeys) -> int:
        """Return 0, because there is only one seat."""
        return 0

    def _deals_label(self, fixture: Fixture) -> tuple[str, str]:
        """Return the label of a leg's deals, which all entrants share against a house player in a session.

        If an entrant is only tried, the label is that of the leg's other randomness, and no entrants share it.
        """
        if self.paired is not None:
            return self._chance_label(fixture)
        assert fixture.house
        return "leg of any entrant", self._digests.of((_ANYONE, fixture.house), fixture.number).hex()


# This stands for bots that meet the same deals. No competitor has its number.
_ANYONE = Competitor(-1, "", "wasm", "")


def _in_replicas(replicas: Replicas, matches: Sequence[Ints], players: Sequence[Ints]) -> MatchColumns:
    """Return matches as columns, replica by replica, each in as many replicas as it has. In each the order is kept.

    Args:
        replicas: Number of replicas of each match, at least one.
        matches: Numbers of the matches of each replica, or of all replicas if there is one array.
        players: The players of these matches, a row of indices for each.
    """
    parts: list[tuple[Ints, Ints, Ints]] = []
    for replica in range(replicas.most):
        match, who = matches[replica % len(matches)], players[replica % len(matches)]
        if replica >= replicas.of_all:
            have = np.array([replica < replicas.of(one) for one in match.tolist()], bool)
            match, who = match[have], who[have]
        parts.append((match, np.full(len(match), replica, np.int64), who))
    match, replica_of, who = (np.concatenate(columns) for columns in zip(*parts))
    return MatchColumns(match, replica_of, who.astype(np.int32))
