"""What the last edit of each bot changed: its results before and after, against opponents that are the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tournament.leg import legs_per_replica
from tournament.records.former import read_former
from tournament.standings.standard_errors import Paired
from tournament.standings.tally import tally_of_points
from tournament.store.field import ContestSetup
from tournament.store.legs import Legs
from tournament.store.storage import Storage

_BEFORE, _AFTER = " before", " after"  # no bot is called so


@dataclass(frozen=True)
class Shift:
    """Points a session against one opponent before and after."""

    opponent: str
    before: float
    after: float

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Edit:
    """A bot's former version, by its sha256, and how the results differ, for each opponent that both met.

    `ci_half_width` is half the 95% interval of the `difference`, None where nothing can be told.
    """

    former_sha256: str
    shifts: tuple[Shift, ...]
    ci_half_width: float | None

    @property
    def difference(self) -> float:
        """Points a session, the mean over the opponents."""
        return math.fsum(shift.difference for shift in self.shifts) / len(self.shifts)


def edits_of(storage: Storage, field: ContestSetup, legs: Legs) -> Mapping[str, Edit]:
    """The last edit of each entrant that has one, by name."""
    shas = field.sha256
    there = storage.list("former")
    edits = {}
    for entrant in field.entrants:
        name = entrant.name
        former = read_former(storage, name) if name in there else None
        if former is None or former.sha256 == entrant.sha256:
            continue
        same = {one for one, sha256 in former.others.items() if one != name and shas.get(one) == sha256}
        before, after = (_whole_matches(name, some, same) for some in (former.legs, legs))
        if edit := _edit(former.sha256, name, before, after, field):
            edits[name] = edit
    return edits


def _whole_matches(name: str, legs: Legs, opponents: set[str]) -> dict[str, Legs]:
    """A bot's legs against each of these, in order; none where one was cut short, which is no sample of sessions."""
    found = {}
    own = legs.among({name}, opponents) if (legs.house >= 0).any() else legs.among({name} | opponents)
    played = [own.numbered(seat, {name: 0}) == 0 for seat in range(own.seats)]
    for opponent in sorted(opponents):
        against = [own.others_numbered(seat, {opponent: 0}) == 0 for seat in range(own.seats)]
        match = own.chosen(np.flatnonzero(np.logical_and(played, against).any(axis=0))).in_order()
        if len(match) and not match.ended.any():
            found[opponent] = match
    return found


def _edit(
    sha: str, name: str, before: Mapping[str, Legs], after: Mapping[str, Legs], field: ContestSetup
) -> Edit | None:
    """What an edit changed, from a bot's matches by opponent: both versions are as two bots that play the same ones."""
    opponents = [opponent for opponent in before if opponent in after]
    if not opponents:
        return None
    names = (_BEFORE, _AFTER)
    matches = [
        _called(called, name, legs[opponent], 2 * number + place)
        for number, opponent in enumerate(opponents)
        for place, (called, legs) in enumerate(zip(names, (before, after)))
    ]
    per_replica = 1 if field.house else legs_per_replica(field.settings)
    tally = tally_of_points(names, Legs.joined(matches), per_replica, opponents, by_games=bool(field.house))
    sessions = tally.lengths[0] / len(opponents)  # of one replica
    shifts = [
        Shift(opponent, *(_per_session(name, legs[opponent]) for legs in (before, after))) for opponent in opponents
    ]
    measured = tally.measured
    # Versions have deals of their own, so they are compared as bots that each had their own matches; of one replica,
    # opponent by opponent.
    if tally.replicas > 1 and isinstance(tally.errors, Paired):
        measured = replace(measured, errors=tally.errors.scores)
    reach = measured.differences.ci_half_width(0, 1)
    return Edit(sha, tuple(shifts), None if reach is None else reach / sessions)


def _per_session(name: str, legs: Legs) -> float:
    """A bot's points a session in the legs of one match."""
    own = [legs.of_seat(seat).points * (legs.numbered(seat, {name: 0}) == 0) for seat in range(legs.seats)]
    points = np.sum(own, axis=0)
    return math.fsum(points.tolist()) / int(legs.sessions.sum())


def _called(called: str, name: str, legs: Legs, match: int) -> Legs:
    """Legs with one bot under another name, as a match of this number."""
    whole = legs.whole.copy(order="F")
    whole[:, 0] = match
    return replace(legs, names=tuple(called if one == name else one for one in legs.names), whole=whole)
