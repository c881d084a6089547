"""What the last edit of each bot changed: its results before and after, against opponents that are the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tournament.standings.standings import Standings
from tournament.store.ledger import Batch, Field
from tournament.store.ledger_reading import read_former_fields
from tournament.store.storage import Storage

_MOST_BYTES = 64 << 20  # of the largest ledger that is read for this


@dataclass(frozen=True)
class Shift:
    """Points a session against one opponent before and after, and the standard error of the difference, if known."""

    opponent: str
    before: float
    after: float
    stderr: float | None

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Edit:
    """A bot's former version, by its sha256, and how the results differ, for each opponent that both met."""

    former_sha256: str
    shifts: tuple[Shift, ...]

    @property
    def difference(self) -> float:
        """Points a session, the mean over the opponents."""
        return math.fsum(shift.difference for shift in self.shifts) / len(self.shifts)

    @property
    def stderr(self) -> float | None:
        errors = [shift.stderr for shift in self.shifts]
        known = [error for error in errors if error is not None]
        return math.sqrt(math.fsum(e * e for e in known)) / len(known) if len(known) == len(errors) else None


Ranking = Callable[[Field, Sequence[Batch]], Standings]
Pairs = dict[tuple[str, str], tuple[float, float | None]]  # points a session and their standard error


def edits_of(storage: Storage, field: Field, ranking: Standings, rank: Ranking) -> Mapping[str, Edit]:
    """The last edit of each entrant that has one, by name. Raises RunFailed when the ledger can't be read."""
    if sum(storage.list("ledger").values()) > _MOST_BYTES:
        return {}
    shas = {entrant.name: entrant.sha256 for entrant in field.entrants}
    former: dict[str, tuple[Field, list[Batch]]] = {}
    for old, batches in read_former_fields(storage):
        for entrant in old.entrants:
            if entrant.artifact and shas.get(entrant.name, entrant.sha256) != entrant.sha256:
                former[entrant.name] = (old, batches)
    now = _by_pair(ranking)
    edits = {}
    then: dict[int, Pairs] = {}
    for name, (old, batches) in former.items():
        if id(old) not in then:
            then[id(old)] = _by_pair(rank(old, batches))
        before = then[id(old)]
        same = {e.name for e in old.entrants if shas.get(e.name) == e.sha256} | {
            player.name for player in old.house if player in field.house
        }
        shifts = tuple(
            _shift(opponent, before[name, opponent], now[name, opponent])
            for opponent in sorted(same)
            if (name, opponent) in before and (name, opponent) in now
        )
        if shifts:
            edits[name] = Edit(next(e.sha256 for e in old.entrants if e.name == name), shifts)
    return edits


def _by_pair(ranking: Standings) -> Pairs:
    return {(side.x, side.y): (side.points_per_session, side.stderr_per_session) for side in ranking.sides}


def _shift(opponent: str, before: tuple[float, float | None], after: tuple[float, float | None]) -> Shift:
    errors = (before[1], after[1])
    stderr = None if errors[0] is None or errors[1] is None else math.hypot(errors[0], errors[1])
    return Shift(opponent, before[0], after[0], stderr)
