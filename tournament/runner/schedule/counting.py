"""Recorded legs against the schedule of their field: the one place that says which of them count, and what is missing.

A digest stands for settings and players, names included. That a leg's names are those of its match is checked whenever
records are read. After a leg in which a bot was disqualified, its legs against one opponent don't count. At tables of
three and more they count for the others if default answers stood in for the bot, which the digest says. So the results
of legs alone say which legs there are, on any number of machines and after any crash.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import reduce

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.leg import PROCESSES
from tournament.runner.schedule.fixtures import Fixture, MatchColumns
from tournament.runner.schedule.legs import Schedule
from tournament.store.field import Batch
from tournament.store.leg_result import SEATS_THAT_END_A_LEG
from tournament.store.legs import DIGESTS, Legs

_AT_ONCE = 1 << 12  # Objects of legs take ten times as much memory as columns.


class Reconciliation:
    """Compares recorded legs with a schedule. A bot that is disqualified in a leg that counts plays no later leg.

    It begins without records, so all legs of the schedule are missing.

    A leg without a record counts until a disqualification excludes it. At tables of three and more every leg of the
    schedule counts, in the version without the bots that were disqualified before it.

    Args:
        schedule: The schedule of the field.

    Attributes:
        out: Names of the bots that are disqualified. It must not be changed.
        total: Number of legs that count, without missing ones that are excluded.
        done: Number of those that were played.
        in_lanes: Number of those that are missing and have processes.
    """

    def __init__(self, schedule: Schedule) -> None:
        columns, players, each = schedule.columns(), schedule.players, schedule.legs_per_replica
        self._schedule, self._columns = schedule, columns
        self._places = _LegIndex.of_all(columns, each)
        self._digester = schedule.digests()
        digests = self._digester.digest_columns(columns, players, each)
        self._digests: npt.NDArray[np.bytes_] = np.frombuffer(digests, DIGESTS)
        self._known = np.zeros(len(self._digests), bool)
        self._out_at: dict[int, tuple[int, ...]] = {}  # seats that are disqualified in a leg, by its index
        self._names = [player.name for player in schedule.competitors]
        self._seats = [np.repeat(seat, each) for seat in schedule.seats_of(columns.players).T]
        is_process = np.array([player.kind in PROCESSES for player in players], bool)
        self._has_processes = np.repeat(is_process[columns.players].any(axis=1), each)
        self._last = np.full(len(self._names), len(self._digests))  # index of the leg after which a bot plays no more
        self._counts = np.ones(len(self._digests), bool)
        self.out: set[str] = set()
        self._excluded = np.zeros(len(self._digests), bool)
        # At tables of three and more, these are the digests without disqualified bots, and whether that version of each
        # leg is known. Then come the other known versions, each with the seats disqualified in it, and the seats that
        # are out in each leg.
        self._plays_on = len(self._seats) > SEATS_THAT_END_A_LEG
        self._of_all, self._known_of_all = self._digests, self._known
        self._versions: dict[int, dict[bytes, tuple[int, ...]]] = {}
        self._out_in: dict[int, tuple[int, ...]] = {}
        self._is_process = is_process
        self.total, self.done, self.in_lanes = len(self._digests), 0, int(self._has_processes.sum())

    def _judge(self) -> None:
        """Find the disqualified bots, and count again the legs of bots for which that changes something."""
        last = np.full_like(self._last, len(self._digests))
        for place in sorted(self._out_at):
            entrants = np.array([seat[place] for seat in self._seats])
            if last[entrants].min() >= place:
                last[entrants[list(self._out_at[place])]] = place
        changed, self._last = last != self._last, last
        self.out = {name for name, place in zip(self._names, last.tolist()) if place < len(self._digests)}
        self._recount(np.flatnonzero(reduce(np.logical_or, (changed[seat] for seat in self._seats))))

    def _judge_tables(self) -> None:
        """Find the bots that are out in each leg, and the version of each leg that counts."""
        last = np.full_like(self._last, len(self._digests))
        for index in sorted({*self._out_at, *self._versions}):
            entrants = np.array([seat[index] for seat in self._seats])
            before = tuple(np.flatnonzero(last[entrants] < index).tolist())
            own = self._versions.get(index, {}).get(self._digest(index, before)) if before else self._out_at.get(index)
            last[entrants[list(own or ())]] = index
        changed, self._last = last != self._last, last
        self.out = {name for name, index in zip(self._names, last.tolist()) if index < len(self._digests)}
        indices = np.flatnonzero(reduce(np.logical_or, (changed[seat] for seat in self._seats)))
        if len(indices) and self._digests is self._of_all:
            self._digests, self._known = self._of_all.copy(), self._known_of_all.copy()
        for index in indices.tolist():
            entrants = np.array([seat[index] for seat in self._seats])
            disqualified = tuple(np.flatnonzero(last[entrants] < index).tolist())
            playing = [entrant for seat, entrant in enumerate(entrants.tolist()) if seat not in disqualified]
            self._has_processes[index] = self._is_process[playing].any()
            self._digests[index] = self._digest(index, disqualified) if disqualified else self._of_all[index]
            if disqualified:
                self._out_in[index] = disqualified
            else:
                self._out_in.pop(index, None)
        self._find_recorded(indices)

    def _find_recorded(self, indices: Ints) -> None:
        """Find which of these legs are known in the version that counts, at tables of three and more."""
        if self._digests is not self._of_all:
            for index in indices.tolist():
                versions = self._versions.get(index, {})
                self._known[index] = (
                    self._digests[index : index + 1].tobytes() in versions
                    if index in self._out_in
                    else self._known_of_all[index]
                )
        missing = self._counts & ~self._known & ~self._excluded
        self.done = int((self._counts & self._known).sum())
        self.total, self.in_lanes = self.done + int(missing.sum()), int((missing & self._has_processes).sum())

    def _digest(self, index: int, disqualified: Sequence[int]) -> bytes:
        """Return the digest, as bytes, of a leg in which these seats are out."""
        row, leg = divmod(index, self._schedule.legs_per_replica)
        players = tuple(self._schedule.players[one] for one in self._columns.players[row].tolist())
        number = int(self._columns.replica[row]) * self._schedule.legs_per_replica + leg
        return self._digester.of(players, number, disqualified)

    def _record_at_tables(self, legs: Legs) -> None:
        """Record legs of three and more bots that were played, in any version."""
        at, is_known = self._places.of(legs.match, legs.number)
        complete = np.flatnonzero(is_known & _are_complete(legs, self._schedule))
        at = at[complete]
        is_full = self._of_all[at] == legs.digest[complete]
        self._known_of_all[at[is_full]] = True
        for place, leg, same in zip(at.tolist(), complete.tolist(), is_full.tolist()):
            disqualified = legs.rare_fields[legs.rare_index[leg]].disqualified_seats
            if not same:
                self._versions.setdefault(place, {})[bytes.fromhex(legs.digests[leg])] = disqualified
            elif disqualified:
                self._out_at[place] = disqualified
        self._leave_out(at, excluded=False)
        if self._out_at or self._versions:
            self._judge_tables()
        self._find_recorded(at)

    def _recount(self, indices: Ints) -> None:
        """Find which of the legs at these indices count."""
        until = reduce(np.minimum, (self._last[seat[indices]] for seat in self._seats))
        before, self._counts[indices] = self._counts[indices], until >= indices
        for sign, changed in ((-1, indices[before & (until < indices)]), (1, indices[~before & (until >= indices)])):
            changed = changed[~self._excluded[changed]]
            missing = changed[~self._known[changed]]
            self.total += sign * len(changed)
            self.done += sign * (len(changed) - len(missing))
            self.in_lanes += sign * int(self._has_processes[missing].sum())

    def note(self, legs: Legs) -> None:
        """Record legs that were played, and find again the disqualified bots and the legs that count.

        Legs count if they are complete and have the schedule's match, number and digest. Others are ignored.
        At tables of three and more, the digest can also be that of a version without disqualified bots. A played leg is
        no longer excluded.

        Args:
            legs: The legs, in any order. Legs can be repeated.
        """
        if self._plays_on:
            self._record_at_tables(legs)
            return
        at, is_known = self._find_legs(legs)
        at, more = at[is_known], legs.rare_index[is_known]
        self._leave_out(at, excluded=False)
        new = at[self._counts[at] & ~self._known[at]]
        self._known[at] = True
        self.done += len(new)
        self.in_lanes -= int(self._has_processes[new].sum())
        ended = np.array([bool(rest.disqualified_seats) for rest in legs.rare_fields], bool)[more]
        if ended.any():
            outs = (legs.rare_fields[rest].disqualified_seats for rest in more[ended].tolist())
            self._out_at |= zip(at[ended].tolist(), outs)
            self._judge()

    def exclude(self, names: Set[str] = frozenset(), matches: Set[int] = frozenset()) -> None:
        """Exclude the missing legs of these bots and matches from this run. Their played legs still count.

        An excluded leg is included again when it is noted as played.

        Args:
            names: Names of bots, by default none. Unknown names are ignored.
            matches: Numbers of matches, by default none.
        """
        if names or matches:
            bots = np.array([name in names for name in self._names], bool)
            is_excluded = reduce(np.logical_or, (bots[seat] for seat in self._seats))
            if matches:
                match = np.repeat(self._columns.match, self._schedule.legs_per_replica)
                is_excluded |= np.isin(match, np.array(sorted(matches), np.int64))
            self._leave_out(np.flatnonzero(is_excluded & ~self._known), excluded=True)

    def _leave_out(self, indices: Ints, *, excluded: bool) -> None:
        """Exclude the legs at these indices, or include them again."""
        changed = indices[self._excluded[indices] != excluded]
        self._excluded[changed] = excluded
        sign, missing = -1 if excluded else 1, changed[self._counts[changed] & ~self._known[changed]]
        self.total += sign * len(missing)
        self.in_lanes += sign * int(self._has_processes[missing].sum())

    @property
    def has_excluded(self) -> bool:
        """True if legs that count are missing and aren't to be played in this run."""
        return bool((self._excluded & self._counts).any())

    def counts(self, legs: Legs) -> npt.NDArray[np.bool_]:
        """Return a flag for each of these legs: whether it counts, and is the first of those with its match and number.

        Only disqualifications in legs that were recorded before matter.
        """
        at, known = self._find_legs(legs)
        among = np.flatnonzero(known)
        among = among[np.argsort(at[among], kind="stable")]
        known[known] = self._counts[at[known]]
        known[among[1:][np.diff(at[among]) == 0]] = False
        return known

    def _find_legs(self, legs: Legs) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the indices of legs in the schedule, and whether each is complete and the one that it has there.

        The index of a leg that isn't in the schedule is meaningless.
        """
        at, known = self._places.of(legs.match, legs.number)
        known[known] = self._digests[at[known]] == legs.digest[known]
        return at, known & _are_complete(legs, self._schedule)

    @property
    def _is_missing(self) -> npt.NDArray[np.bool_]:
        """A flag for each leg of the schedule, in its order: whether it counts, wasn't played and isn't excluded."""
        missing: npt.NDArray[np.bool_] = self._counts & ~self._known & ~self._excluded
        return missing

    @property
    def missing(self) -> Ints:
        """Indices in the schedule of the legs that are left to play, in ascending order."""
        return np.flatnonzero(self._is_missing)

    def wanted(self) -> Iterator[tuple[Fixture, bool]]:
        """Yield the missing legs in the schedule's order, each with whether it still counts at that moment.

        These are the legs that are missing when the first one is requested. Those played or excluded later are still
        yielded.
        """
        players, each = self._schedule.players, self._schedule.legs_per_replica
        missing = self.missing
        for first in range(0, len(missing), _AT_ONCE):
            indices = missing[first : first + _AT_ONCE]
            rows, legs = np.divmod(indices, each)
            columns = indices, self._columns.match[rows], self._columns.replica[rows] * each + legs
            seated = self._columns.players[rows].tolist()
            for index, match, number, who in zip(*(column.tolist() for column in columns), seated):
                digest, out = self._digests[index : index + 1].tobytes().hex(), self._out_in.get(index, ())
                split = self._schedule.split(tuple([players[one] for one in who]))
                yield Fixture(match, number, digest, *split, out), bool(self._counts[index])

    @property
    def inline(self) -> int:
        """Number of missing legs that have no processes."""
        return self.total - self.done - self.in_lanes


def reconcile(batches: Iterable[Batch], schedule: Schedule) -> Reconciliation:
    """Return the batches' legs compared with a schedule: which of them count, and which are missing.

    Args:
        batches: The batches, in any order.
        schedule: The schedule of the field.
    """
    reconciliation = Reconciliation(schedule)
    reconciliation.note(Legs.joined(batch.legs for batch in batches))
    return reconciliation


@dataclass(frozen=True)
class _LegIndex:
    """The indices of legs in the schedule.

    Attributes:
        keys: Keys of the legs, ascending, in which an index in `matches` stands for a match.
        matches: Numbers of the matches, ascending, each once.
        legs_per_replica: Number of legs of a match in a replica.
    """

    keys: Ints
    matches: Ints
    legs_per_replica: int

    @classmethod
    def of_all(cls, columns: MatchColumns, legs_per_replica: int) -> _LegIndex:
        """Return the index of all legs of these matches, which are ordered by replica, then by match."""
        matches = np.sort(columns.match)  # np.unique takes long to import
        matches = matches[np.diff(matches, prepend=-1) > 0]
        number = (columns.replica[:, np.newaxis] * legs_per_replica + np.arange(legs_per_replica)).ravel()
        match = np.repeat(np.searchsorted(matches, columns.match), legs_per_replica)
        return cls(_keys(match, number, len(matches), legs_per_replica), matches, legs_per_replica)

    def of(self, match: Ints, number: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
        """Return the indices of legs in the schedule, by match and leg number, and whether each is in it.

        Both arrays are in the order of the given legs. The index of a leg that isn't in the schedule is meaningless.
        """
        if not len(self.keys):
            return np.zeros(len(match), np.int64), np.zeros(len(match), bool)
        among = np.minimum(np.searchsorted(self.matches, match), len(self.matches) - 1)
        keys = _keys(among, number, len(self.matches), self.legs_per_replica)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return at, (self.matches[among] == match) & (self.keys[at] == keys)


def _keys(match: Ints, number: Ints, matches: int, legs_per_replica: int) -> Ints:
    """Return keys by which legs sort as in a schedule: by replica, then by match and number.

    They are below 2⁶², because numbers of legs, and the count of matches, are below 2³¹.
    """
    return (number // legs_per_replica * matches + match) * legs_per_replica + number % legs_per_replica


def find_fixtures(legs: Legs, schedule: Schedule, recorded: Legs) -> Iterator[Fixture | str]:
    """Yield for each leg what the schedule has for its players and number, or as text why the leg isn't that.

    Args:
        legs: The legs.
        schedule: The schedule of the field.
        recorded: All legs of the records, which show the bots disqualified in each.

    Yields:
        A fixture or a text for each leg, in the order of `legs`. It is a text if a player isn't in the schedule, the
        digest is another, or sessions are missing or too many. Whether the match is in the schedule isn't checked.
    """
    outs = _first_outs(recorded, schedule.legs_per_replica) if recorded.seats > SEATS_THAT_END_A_LEG else {}
    entrants = {player.name: player for player in schedule.competitors}
    players = {player.name: player for player in schedule.house}
    digests = schedule.digests()
    columns = (legs.match.tolist(), legs.number.tolist(), legs.digests, _are_complete(legs, schedule))
    for names, house, match, number, digest, complete in zip(legs.seated, legs.houses, *columns):
        if not entrants.keys() >= {*names} or (house not in players if players else house):
            yield "of one who doesn't play"
            continue
        position = number // schedule.legs_per_replica, match, number
        disqualified = tuple(seat for seat, name in enumerate(names) if name in outs and outs[name] < position)
        fixture = Fixture(
            match, number, digest, tuple(entrants[name] for name in names), players.get(house), disqualified
        )
        if digest != digests.of(fixture.players, number, disqualified).hex():
            yield "with another digest than its players and settings give"
        elif not complete:
            yield "with other sessions than the settings say"
        else:
            yield fixture


def _first_outs(legs: Legs, legs_per_replica: int) -> dict[str, tuple[int, int, int]]:
    """Return for each bot that is disqualified, by name, the first leg in which it was.

    The leg is given as replica, match and leg number. Other bots are omitted.
    """
    first: dict[str, tuple[int, int, int]] = {}
    ended = np.array([bool(rest.disqualified_seats) for rest in legs.rare_fields], bool)[legs.rare_index]
    for leg in map(legs.__getitem__, np.flatnonzero(ended).tolist()):
        position = leg.number // legs_per_replica, leg.match, leg.number
        for seat in leg.disqualified_seats:
            first[leg.seats[seat]] = min(first.get(leg.seats[seat], position), position)
    return first


def _are_complete(legs: Legs, schedule: Schedule) -> npt.NDArray[np.bool_]:
    """Return whether each leg has all its sessions, or those until a fault ended it, in the order of the legs."""
    planned = schedule.sessions_per_leg
    complete: npt.NDArray[np.bool_] = (legs.sessions == planned) | ((legs.sessions < planned) & legs.ended)
    return complete
