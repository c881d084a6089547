"""The ledger: numbered JSON files, each a commit. What it says is what counts.

A leg counts when a commit names it and the part with its games stands in
games/ with the size that the commit gives. Parts are written aside first, then
committed, then published by a rename, so a reader of games/ sees exactly the
legs that count, before, during and after a crash at any point.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tournament.errors import RunFailed
from tournament.store.storage import AlreadyExists, Storage


@dataclass(frozen=True)
class Fault:
    """One fault of the bot at `seat` (0 is x, 1 is y), where it happened and what it was.

    `asked`: the question by its name, with all that it told. `complaints`: the last lines that
    its process wrote to standard error.
    """

    seat: int
    session: int
    game: int
    question: str
    what: str
    asked: str = ""
    complaints: str = ""


@dataclass(frozen=True)
class LegResult:
    """A played leg: who, and x's sums. `blocks` are x's points by block of sessions.

    `ended_by` is the seat whose faults ended the leg, or None; `counts` are the contest's own.
    """

    digest: str
    match: int
    number: int
    x: str
    y: str
    sessions: int
    games: int
    points: float
    squared_points: float
    blocks: tuple[float, ...]
    faults: tuple[Fault, ...] = ()
    ended_by: int | None = None
    counts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Part:
    """A Parquet file of a table. `staged` is where it waits until it is published."""

    table: str
    name: str
    size: int
    sha256: str
    rows: int
    staged: str


@dataclass(frozen=True)
class Batch:
    """A part of each table, and the legs in them: neighbours in the schedule, in its order.

    `sandbox`: what confined its bots that are processes, "" when there were none.
    """

    name: str
    parts: tuple[Part, ...]
    legs: tuple[LegResult, ...]
    sandbox: str = ""


def batch_name(match: int, number: int, digests: Iterable[str]) -> str:
    """The name of a batch whose first leg is `number` of `match`.

    Names sort as the schedule does, so parts read by name give records in its
    order. Digests make a name stand for one content for good.
    """
    return f"{match:010d}-{number}-{hashlib.sha256(''.join(digests).encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class FieldEntrant:
    """An entrant as the ledger knows it. `number` stays his for good; `artifact` is the sha256 of what plays."""

    number: int
    name: str
    kind: str
    sha256: str
    artifact: str | None
    problem: str | None


@dataclass(frozen=True)
class FieldHousePlayer:
    """A house player as the ledger knows it: `sha256` is of its content, `facts` are what scoring reads of it."""

    number: int
    name: str
    sha256: str
    facts: dict[str, float]


@dataclass(frozen=True)
class Field:
    """What is being played: the contest's settings, its entrants and house players.

    `numbers` and `house_numbers` also keep those who left.
    """

    contest: str
    engine: str
    settings: dict[str, Any]
    entrants: tuple[FieldEntrant, ...]
    numbers: dict[str, int]
    house: tuple[FieldHousePlayer, ...] = ()
    house_numbers: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclass
class State:
    """The ledger read from its beginning. `batches` by name, the oldest version of each first."""

    entries: int = 0
    field: Field | None = None
    batches: dict[str, list[Batch]] = dataclasses.field(default_factory=dict)


def read_state(storage: Storage) -> State:
    """Fold the ledger's entries. Raises RunFailed when one is damaged."""
    state = State()
    for name in sorted(name for name in storage.list("ledger") if _ENTRY_NAME.fullmatch(name)):
        expected = _entry_name(state.entries + 1)
        if name != expected:
            raise RunFailed(f"{storage.location}/ledger/{expected} is missing; {_MEND_LEDGER.format(storage.location)}")
        try:
            entry = _checked(storage.read(f"ledger/{name}"))
            if "field" in entry:
                state.field = _field_from(entry["field"])
            for raw in entry.get("batches", ()):
                batch = _batch_from(raw)
                state.batches.setdefault(batch.name, []).append(batch)
        except (ValueError, TypeError, KeyError, RecursionError):
            raise RunFailed(
                f"{storage.location}/ledger/{name} is damaged; {_MEND_LEDGER.format(storage.location)}"
            ) from None
        state.entries += 1
    return state


_ENTRY_NAME = re.compile(r"[0-9]{8}\.json")
_MEND_LEDGER = "bring it back from a copy, or move {} away and run again"


def _entry_name(number: int) -> str:
    return f"{number:08d}.json"


def _packed(entry: dict[str, Any]) -> bytes:
    """An entry's text, with the sha256 of the rest as its last key: a flipped bit must not change sums."""
    text = json.dumps(entry, separators=(",", ":"), allow_nan=False)
    seal = hashlib.sha256(text.encode()).hexdigest()
    return (json.dumps({**entry, "sha256": seal}, separators=(",", ":")) + "\n").encode()


def _checked(content: bytes) -> dict[str, Any]:
    """An entry from its text. Raises ValueError when it isn't what `_packed` made."""
    entry = json.loads(content)
    if not isinstance(entry, dict):
        raise ValueError("not an entry")
    entry.pop("sha256", None)
    if _packed(entry) != content:
        raise ValueError("not what was written")
    return entry


def standing_batches(storage: Storage, state: State) -> list[Batch]:
    """The batches that count, by name: of each the newest version whose games part is in place."""
    games = storage.list("games")
    standing = []
    for _, versions in sorted(state.batches.items()):
        for version in reversed(versions):
            part = _games_part(version)
            if version.legs and games.get(part.name) == part.size:
                standing.append(version)
                break
    return standing


class Writer:
    """The one process that commits. Made by `open_for_writing`, which first finishes what a crash left."""

    def __init__(self, storage: Storage, state: State) -> None:
        self.storage = storage
        self.state = state

    def commit(self, *, field: Field | None = None, batches: Iterable[Batch] = ()) -> None:
        """Append an entry, then publish the parts of its batches.

        Raises RunFailed when another process writes to the ledger now, OSError
        when the entry can't be written.
        """
        batches = list(batches)
        entry: dict[str, Any] = {}
        if field is not None:
            entry["field"] = asdict(field)
        if batches:
            entry["batches"] = [asdict(batch) for batch in batches]
        number = self.state.entries + 1
        if not self.storage.still_held():
            raise RunFailed(f"another process writes to {self.storage.location} now; this one stops")
        try:
            self.storage.create(f"ledger/{_entry_name(number)}", _packed(entry))
        except AlreadyExists:
            raise RunFailed(f"another process writes to {self.storage.location} now; this one stops") from None
        self.state.entries = number
        if field is not None:
            self.state.field = field
        for batch in batches:
            self.state.batches.setdefault(batch.name, []).append(batch)
        publish_all(self.storage, batches)

    def close(self) -> None:
        """Let others write. Parts that nobody committed go, if they can."""
        with contextlib.suppress(OSError, RunFailed):
            if self.storage.still_held():
                self.storage.remove_folder("staging")
                self.storage.prepare()
        self.storage.release()


def open_for_writing(storage: Storage) -> Writer:
    """Hold the ledger, publish what was committed but not yet published, and sweep up the rest.

    Raises RunFailed while another process holds it, or when it can't be written.
    """
    storage.prepare()
    storage.hold()
    try:
        state = read_state(storage)
        publish_all(storage, [versions[-1] for versions in state.batches.values()])
        storage.remove_folder("staging")
        storage.prepare()
        known = {
            (part.table, part.name)
            for versions in state.batches.values()
            if versions[-1].legs
            for part in versions[-1].parts
        }
        for table in ("games", "sessions"):
            for name in storage.list(table):
                if (table, name) not in known:
                    storage.remove(f"{table}/{name}")
    except BaseException:
        storage.release()
        raise
    return Writer(storage, state)


def publish_all(storage: Storage, batches: Sequence[Batch]) -> None:
    """Publish batches of one commit. What goes, goes first: a leg must never be read twice."""
    for batch in sorted(batches, key=lambda batch: bool(batch.legs)):
        publish(storage, batch)


def publish(storage: Storage, batch: Batch) -> None:
    """Put a batch's parts where readers look, or take them away when it has no legs.

    The games decide: they come last and go first, so that none are without their sessions.
    """
    for part in sorted(batch.parts, key=lambda part: part.table == "games", reverse=not batch.legs):
        target = f"{part.table}/{part.name}"
        if not batch.legs:
            storage.remove(target)
            continue
        try:
            storage.publish(part.staged, target)
        except FileNotFoundError:
            continue  # published before, or lost: then its size tells


def without_legs(batch: Batch) -> Batch:
    """The batch as it is recorded once none of its legs count."""
    return replace(batch, legs=())


def _games_part(batch: Batch) -> Part:
    return next(part for part in batch.parts if part.table == "games")


def _batch_from(raw: dict[str, Any]) -> Batch:
    return Batch(
        raw["name"],
        tuple(Part(**part) for part in raw["parts"]),
        tuple(
            LegResult(
                **{
                    **leg,
                    "blocks": tuple(leg["blocks"]),
                    "faults": tuple(Fault(**f) for f in leg["faults"]),
                    "counts": tuple(leg.get("counts", ())),
                }
            )
            for leg in raw["legs"]
        ),
        raw.get("sandbox", ""),
    )


def _field_from(raw: dict[str, Any]) -> Field:
    return Field(
        **{
            **raw,
            "entrants": tuple(FieldEntrant(**entrant) for entrant in raw["entrants"]),
            "house": tuple(FieldHousePlayer(**player) for player in raw.get("house", ())),
        }
    )
