"""Recorded legs against the schedule of their field: the one place that says which of them count, and what is missing.

A digest stands for settings and players, names included. That a leg's names are those of its match is seen to whenever
a ledger is read. Legs of a bot that was disqualified on probation don't count.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tournament.leg import PROCESSES
from tournament.probation import Probation
from tournament.runner.schedule import Fixture, Pairing, Schedule, place_of
from tournament.store.ledger import Batch
from tournament.store.legs import Legs, hex_digests

Whole = npt.NDArray[np.int64]


@dataclass
class Counted:
    """Legs of a schedule: by digest how those ended that were played, the seat at fault or None; and which of them
    count. `missing` has the places of those still to be played when it was counted, in order; so many have processes.

    `note` keeps all but these three up to date while a run plays.
    """

    schedule: Schedule
    ends: dict[str, int | None]
    counting: set[str]
    missing: Whole
    in_lanes: int
    total: int
    probation: Probation

    @property
    def inline(self) -> int:
        """How many missing legs have no processes."""
        return len(self.missing) - self.in_lanes

    @property
    def out(self) -> Set[str]:
        """Who is disqualified on probation."""
        return self.probation.out

    def note(self, legs: Legs) -> None:
        """Add played legs of the schedule. Who is disqualified by one on probation plays no other."""
        self.ends |= zip(legs.digests, legs.ended_by)
        at_fault = {(legs.x, legs.y)[end][leg] for leg, end in enumerate(legs.ended_by) if end is not None}
        if at_fault <= self.probation.proven | self.out:
            out = self.out
            seats = (legs.x,) if self.schedule.house else (legs.x, legs.y)
            self.counting.update(digest for digest, *names in zip(legs.digests, *seats) if out.isdisjoint(names))
        else:
            again = count_known(self.ends, self.schedule)
            self.counting, self.total, self.probation = again.counting, again.total, again.probation


def count_legs(batches: Iterable[Batch], schedule: Schedule) -> Counted:
    """Which legs in these batches count, each at its own match and number, and whole; and what the schedule lacks."""
    several = [batch.legs for batch in batches]
    listed = _Listed.of(schedule)
    ends = np.full(len(listed.place), _UNKNOWN, np.int8)
    for legs in several:
        place = place_of(legs.match, legs.number, schedule.legs_per_replica)
        at = np.searchsorted(listed.place, place)
        known = at < len(ends)
        known[known] = (listed.place[at[known]] == place[known]) & (listed.digest[at[known]] == legs.digest[known])
        end = np.array([_NOT_ENDED if rest.ended_by is None else rest.ended_by for rest in legs.rests], np.int8)
        counts = known & _are_whole(legs, schedule)
        ends[at[counts]] = end[legs.more][counts]
    return _counted(listed, ends, schedule)


def count_known(ends: dict[str, int | None], schedule: Schedule) -> Counted:
    """The same of legs that are known to be the schedule's."""
    listed = _Listed.of(schedule)
    seats = {digest: _NOT_ENDED if end is None else end for digest, end in ends.items()}
    known = [seats.get(digest, _UNKNOWN) for digest in hex_digests(listed.digest)]
    return _counted(listed, np.array(known, np.int8), schedule)


_UNKNOWN, _NOT_ENDED = -2, -1  # beside the seats whose faults ended a leg


@dataclass(frozen=True)
class _Listed:
    """The legs of a schedule as columns, since a large field has half a million: their places and digests, and for each
    replica of a match, of `lengths` legs, its number and players."""

    place: Whole
    digest: npt.NDArray[np.bytes_]
    pairings: list[Pairing]
    lengths: list[int]

    @classmethod
    def of(cls, schedule: Schedule) -> _Listed:
        digest_of = schedule.digests().of
        number_of, digest = array("q"), bytearray()  # numbers: objects would take a hundred megabytes
        pairings = list(schedule.pairings())
        for _, numbers, x, y in pairings:
            number_of.extend(numbers)
            for number in numbers:
                digest += digest_of(x, y, number)
        lengths = [len(numbers) for _, numbers, _, _ in pairings]
        match = np.repeat(np.array([match for match, *_ in pairings], np.int64), lengths)
        place = place_of(match, np.array(number_of, np.int64), schedule.legs_per_replica)
        return cls(place, np.frombuffer(bytes(digest), "S32"), pairings, lengths)


def _counted(listed: _Listed, ends: npt.NDArray[np.int8], schedule: Schedule) -> Counted:
    digests, seats = hex_digests(listed.digest), ends.tolist()
    known = {digest: None if end == _NOT_ENDED else end for digest, end in zip(digests, seats) if end != _UNKNOWN}
    probation = Probation(known)
    asked, counting = array("q"), array("q")

    def on_probation() -> Iterator[Fixture]:
        """The legs of those who haven't passed yet, all others count; who passes is known before the next is taken."""
        leg, proven, house = 0, probation.proven, bool(schedule.house)
        for match, numbers, x, y in listed.pairings:
            for number in numbers:
                if not (x.name in proven and (house or y.name in proven)):
                    asked.append(leg)
                    yield Fixture(match, number, digests[leg], x, y)
                leg += 1

    for _ in probation.legs(on_probation()):
        counting.append(asked[-1])
    counts = np.ones(len(ends), bool)
    counts[np.array(asked, np.int64)] = False
    counts[np.array(counting, np.int64)] = True
    missing = counts & (ends == _UNKNOWN)
    of_pairings = [x.kind in PROCESSES or y.kind in PROCESSES for _, _, x, y in listed.pairings]
    in_lanes = np.repeat(np.array(of_pairings, bool), listed.lengths)
    return Counted(
        schedule,
        known,
        {digests[leg] for leg in np.flatnonzero(counts & ~missing).tolist()},
        listed.place[missing],
        int((missing & in_lanes).sum()),
        int(counts.sum()),
        probation,
    )


def fixtures_of(legs: Legs, schedule: Schedule) -> Iterator[Fixture | str]:
    """For each leg what the schedule has for its players and number, or why it isn't that."""
    x = {player.name: player for player in schedule.competitors}
    y = {player.name: player for player in schedule.house} or x
    digests = schedule.digests()
    columns = (legs.x, legs.y, legs.match.tolist(), legs.number.tolist(), legs.digests, _are_whole(legs, schedule))
    for of_x, of_y, match, number, digest, whole in zip(*columns):
        if of_x not in x or of_y not in y:
            yield "of one who doesn't play"
        elif digest != digests.of(x[of_x], y[of_y], number).hex():
            yield "with another digest than its players and settings give"
        elif not whole:
            yield "with other sessions than the settings say"
        else:
            yield Fixture(match, number, digest, x[of_x], y[of_y])


def _are_whole(legs: Legs, schedule: Schedule) -> npt.NDArray[np.bool_]:
    """Whether each leg has all its sessions, or those until a fault ended it."""
    planned = schedule.sessions_per_leg
    whole: npt.NDArray[np.bool_] = (legs.sessions == planned) | ((legs.sessions < planned) & legs.ended)
    return whole
