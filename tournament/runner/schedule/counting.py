"""Recorded legs against the schedule of their field: the one place that says which of them count, and what is missing.

A digest stands for settings and players, names included. That a leg's names are those of its match is seen to whenever
a ledger is read. Legs of a bot that was disqualified on probation don't count.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.arrays import Whole
from tournament.leg import PROCESSES
from tournament.probation import NOT_ENDED, UNKNOWN, Probation
from tournament.runner.schedule.legs import Fixture, MatchLegs, Schedule
from tournament.store.ledger import Batch
from tournament.store.legs import DIGESTS, Legs, hex_digests


@dataclass
class Counted:
    """Which legs of a schedule count: by digest those that were played; by their places in the schedule those that are
    `missing`, so many of them with processes, and the `rank` of each among all that count, of which there are so many
    in all."""

    counting: set[str]
    missing: Whole
    rank: Whole
    in_lanes: int
    total: int
    probation: Probation

    @property
    def inline(self) -> int:
        """How many missing legs have no processes."""
        return len(self.missing) - self.in_lanes


def count_legs(batches: Iterable[Batch], schedule: Schedule) -> Counted:
    """Which legs in these batches count, complete and each at its own match and number; and what the schedule lacks."""
    matches = list(schedule.matches())
    lengths = [len(one.numbers) for one in matches]
    places, digests = _places_and_digests(schedule, matches, lengths)
    ends = np.full(len(digests), UNKNOWN, np.int8)
    for batch in batches:
        legs = batch.legs
        at, known = places.of(legs.match, legs.number)
        known[known] = digests[at[known]] == legs.digest[known]
        end = np.array([NOT_ENDED if rest.ended_by is None else rest.ended_by for rest in legs.rests], np.int8)
        counts = known & _are_complete(legs, schedule)
        ends[at[counts]] = end[legs.more][counts]
    probation, passes = Probation(), np.ones(len(ends), bool)
    for one, end_of_it, length in zip(matches, np.cumsum(lengths).tolist(), lengths):
        entrants = tuple(seat.name for seat in one.seats)
        if not probation.settled.issuperset(entrants):
            for leg in range(end_of_it - length, end_of_it):
                passes[leg] = probation.passes(entrants, int(ends[leg]))
    missing = passes & (ends == UNKNOWN)
    of_processes = [any(seat.kind in PROCESSES for seat in one.seats) for one in matches]
    return Counted(
        set(hex_digests(digests[passes & ~missing])),
        np.flatnonzero(missing),
        np.cumsum(passes)[missing],
        int(missing[np.repeat(np.array(of_processes, bool), lengths)].sum()),
        int(passes.sum()),
        probation,
    )


@dataclass(frozen=True)
class _Places:
    """Where the legs of a schedule are in it: by keys that ascend, in which the place of a match among its `matches`
    stands for its number, which may have 63 bits."""

    keys: Whole
    matches: Whole
    legs_per_replica: int

    @classmethod
    def of_all(cls, match: Whole, number: Whole, legs_per_replica: int) -> _Places:
        """The places of legs in order."""
        several = np.unique(match)
        return cls(
            _keys(np.searchsorted(several, match), number, len(several), legs_per_replica), several, legs_per_replica
        )

    def of(self, match: Whole, number: Whole) -> tuple[Whole, npt.NDArray[np.bool_]]:
        """The places of these legs, and whether each is in the schedule."""
        if not len(self.keys):
            return np.zeros(len(match), np.int64), np.zeros(len(match), bool)
        among = np.minimum(np.searchsorted(self.matches, match), len(self.matches) - 1)
        keys = _keys(among, number, len(self.matches), self.legs_per_replica)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return at, (self.matches[among] == match) & (self.keys[at] == keys)


def _keys(match: Whole, number: Whole, matches: int, legs_per_replica: int) -> Whole:
    """Keys by which legs sort as in a schedule: by replica, then by match and number.

    They are below 2⁶², because numbers of legs, and the count of matches, are below 2³¹."""
    return (number // legs_per_replica * matches + match) * legs_per_replica + number % legs_per_replica


def _places_and_digests(
    schedule: Schedule, matches: Sequence[MatchLegs], lengths: Sequence[int]
) -> tuple[_Places, npt.NDArray[np.bytes_]]:
    """Of all legs of a schedule, as columns: a large field has half a million."""
    digest_of = schedule.digests().of
    number_of, digests = array("q"), bytearray()  # numbers: objects would take a hundred megabytes
    for one in matches:
        number_of.extend(one.numbers)
        for number in one.numbers:
            digests += digest_of(one.players, number)
    match = np.repeat(np.array([one.match for one in matches], np.int64), lengths)
    places = _Places.of_all(match, np.array(number_of, np.int64), schedule.legs_per_replica)
    return places, np.frombuffer(bytes(digests), DIGESTS)


def fixtures_at(schedule: Schedule, places: Whole) -> Iterator[Fixture]:
    """The fixtures of a schedule at these places, in order."""
    digest_of, wanted = schedule.digests().of, iter(places.tolist())
    following, place = next(wanted, None), 0
    for match in schedule.matches():
        for number in match.numbers:
            if place == following:
                yield Fixture(match.match, number, digest_of(match.players, number).hex(), match.seats, match.house)
                following = next(wanted, None)
            place += 1


def fixtures_of(legs: Legs, schedule: Schedule) -> Iterator[Fixture | str]:
    """For each leg what the schedule has for its players and number, or why it isn't that."""
    entrants = {player.name: player for player in schedule.competitors}
    players = {player.name: player for player in schedule.house}
    digests = schedule.digests()
    whole = (legs.match.tolist(), legs.number.tolist(), legs.digests, _are_complete(legs, schedule))
    for names, house, match, number, digest, complete in zip(legs.seated, legs.houses, *whole):
        if not entrants.keys() >= {*names} or (house not in players if players else house):
            yield "of one who doesn't play"
            continue
        fixture = Fixture(match, number, digest, tuple(entrants[name] for name in names), players.get(house))
        if digest != digests.of(fixture.players, number).hex():
            yield "with another digest than its players and settings give"
        elif not complete:
            yield "with other sessions than the settings say"
        else:
            yield fixture


def _are_complete(legs: Legs, schedule: Schedule) -> npt.NDArray[np.bool_]:
    """Whether each leg has all its sessions, or those until a fault ended it."""
    planned = schedule.sessions_per_leg
    complete: npt.NDArray[np.bool_] = (legs.sessions == planned) | ((legs.sessions < planned) & legs.ended)
    return complete
