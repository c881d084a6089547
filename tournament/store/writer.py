"""Committing to the ledger and publishing parts, by one process at a time. Killed at any step, it loses nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from tournament.errors import RunError, and_more
from tournament.store.ledger import (
    ENTRY_NAME,
    Batch,
    Entry,
    Field,
    Part,
    State,
    entry_name,
    pack,
    unpack,
)
from tournament.store.ledger_reading import read_state
from tournament.store.legs import Legs
from tournament.store.storage import MOST_READ, OWN_STAGED, STAGING, AlreadyExists, Storage, is_url

# The most legs, and bytes with the texts of faults, of an entry that has several batches; and the bytes of their parts,
# which wait in staging/ until then.
_MOST_LEGS, _MOST_BYTES, _MOST_STAGED = 50_000, 8 << 20, 32 << 20
_LISTED_BYTES = 1000  # of a batch, its legs aside


def in_commits(groups: Iterable[Sequence[Batch]]) -> Iterator[tuple[Batch, ...]]:
    """Batches as they go into entries, several groups each: many workers with short legs hand over a great many at
    once. A group goes into one entry."""
    several: list[Batch] = []
    weight = np.zeros(3)
    for group in groups:
        more = np.sum([_weight(batch) for batch in group], axis=0)
        if several and (weight + more > (_MOST_LEGS, _MOST_BYTES, _MOST_STAGED)).any():
            yield tuple(several)
            several, weight = [], np.zeros(3)
        several += group
        weight += more
    if several:
        yield tuple(several)


def _weight(batch: Batch) -> tuple[int, int, int]:
    """How many legs an entry has for a batch, and bytes; and the bytes of its parts that are staged."""
    brought = Legs.of(()) if batch.of else batch.legs
    staged = sum(part.size for part in batch.parts) if batch.counts else 0
    return len(brought), brought.size + _LISTED_BYTES, staged


class Writer:
    """Commits to a ledger. Made by `open_for_writing`, which first finishes what a crash interrupted."""

    def __init__(self, storage: Storage, state: State) -> None:
        self.storage = storage
        self.state = state
        self._under_commit: tuple[str, Entry] | None = None  # by name, while it isn't known to be published

    def commit(
        self,
        *,
        field: Field | None = None,
        batches: Iterable[Batch] = (),
    ) -> tuple[Batch, ...]:
        """Append an entry, publish the parts of its batches, and return these. A signal may come in between: `close`
        publishes what the ledger has.

        Raises RunError when another process has become the writer, or a part isn't
        there as it was written; OSError when something can't be written.
        """
        entry = self.state.following(field, batches)
        parts = [part for batch in entry.batches if batch.legs for part in batch.parts]
        self._require([(part, part.staged) for part in parts])
        self._under_commit = entry_name(self.state.entries + 1), entry
        try:
            append(self.storage, self.state, entry)
        except AlreadyExists:
            raise _not_mine(self.storage) from None
        publish_all(self.storage, entry.batches)
        self._under_commit = None
        self._require([(part, part.place) for part in parts])
        return entry.batches

    def _require(self, places: Sequence[tuple[Part, str]]) -> None:
        """Raises RunError unless each part is there, with its size."""
        found = self.storage.sizes([place for _, place in sorted(places, key=lambda one: one[1])])
        for part, place in places:
            size = found.get(place)
            if size != part.size:
                require_held(self.storage)  # a new writer has removed what was staged
                there = "is missing" if size is None else f"has {size:,} bytes"
                raise RunError(
                    f"{self.storage.location}/{place} {there}, of {part.size:,} bytes that were written:"
                    " whoever plays must write where this process reads"
                )

    def require_all_there(self) -> None:
        """Raises RunError when an entry, or a part that the ledger names, is missing at the end of a run."""
        entries = self.storage.list("ledger")
        for number in range(self.state.fold or 1, self.state.entries + 1):
            if entry_name(number) not in entries:
                raise RunError(f"{self.storage.location}/ledger/{entry_name(number)} is missing since this run")
        tables = {table: self.storage.list(table) for table in ("games", "sessions")}
        lost = [
            part
            for batch in self.state.newest().values()
            for part in batch.parts
            if tables[part.table].get(part.name) != part.size
        ]
        if lost:
            raise RunError(
                f"{self.storage.location}/{lost[0].place}{and_more(len(lost) - 1)} can't be found as committed;"
                " run again to play what is missing"
            )

    def close(self) -> None:
        """Let others write. Publishes what was interrupted in its commit, and removes staged parts that no entry names,
        if it can."""
        try:
            with contextlib.suppress(AlreadyExists, OSError, RunError):
                named = [part for versions in self.state.batches.values() for part in versions[-1].parts]
                if self._under_commit is not None:
                    name, entry = self._under_commit
                    require_held(self.storage)
                    if name in self.storage.list("ledger"):
                        publish_all(self.storage, entry.batches)
                    elif is_url(self.storage.location):  # a store may still be writing it: the next writer publishes
                        named += [part for batch in entry.batches for part in batch.parts]
                _sweep_staging(self.storage, {part.staged for part in named})
                if self._under_commit is None and self.state.wants_fold:
                    former = self.state.fold
                    append(self.storage, self.state, self.state.folded())
                    _remove_entries(self.storage, former)
        finally:
            self.storage.release()


def require_held(storage: Storage) -> None:
    if not storage.still_held():
        raise _not_mine(storage)


def _not_mine(storage: Storage) -> RunError:
    return RunError(f"another process writes to {storage.location} now; this one stops")


def open_for_writing(storage: Storage) -> Writer:
    """Hold the ledger, publish what was committed but not yet published, and remove what was never committed. Raises
    RunError while another process holds it, or when it can't be written."""
    storage.prepare()
    try:
        state = hold_ledger(storage)
        newest = [versions[-1] for versions in state.batches.values()]
        tables = {table: storage.list(table) for table in ("games", "sessions")}
        staged = {f"{STAGING}/{name}" for name in storage.list(STAGING)}
        publish_all(
            storage,
            [
                batch
                for batch in newest
                if any(part.staged in staged if batch.legs else part.name in tables[part.table] for part in batch.parts)
            ],
        )
        _sweep_staging(storage, ())
    except BaseException:
        storage.release()
        raise
    return Writer(storage, state)


def hold_ledger(storage: Storage) -> State:
    """Become the only writer and read the ledger. Raises RunError while another process holds it.

    A former writer may wake up in the middle of a commit: an entry that changes nothing takes the number that it would
    use.
    """
    may_wake = storage.hold()
    state = read_state(storage)
    while may_wake and state.field:
        try:
            append(storage, state, state.following(state.field))
            may_wake = False
        except AlreadyExists:  # the former writer was faster
            state = read_state(storage)
    return state


def append(storage: Storage, state: State, entry: Entry) -> None:
    """Write the next entry. Raises AlreadyExists where another process has; RunError where one has become the writer,
    or nobody could read the entry; OSError."""
    name = entry_name(state.entries + 1)
    try:
        content = pack(entry)
        unpack(content)
        if len(content) > MOST_READ:
            raise ValueError(f"it has {len(content):,} bytes")
    except ValueError as error:
        reason = " ".join(str(error).split())[:300]
        raise RunError(f"{storage.location}/ledger/{name} would not be readable: {reason}") from None
    require_held(storage)
    storage.create(f"ledger/{name}", content)
    require_held(storage)  # an entry of that number may have been written and removed since
    state.add(entry, len(content))


def _remove_entries(storage: Storage, before: int) -> None:
    """Remove the entries before this fold, which isn't the newest one: who reads now may still begin there."""
    require_held(storage)
    for name in sorted(storage.list("ledger")):
        if ENTRY_NAME.fullmatch(name) and name < entry_name(before):
            storage.remove(f"ledger/{name}")


def _sweep_staging(storage: Storage, spared: Iterable[str]) -> None:
    """Remove what this package has staged, except the spared files."""
    names = {f"{STAGING}/{name}" for name in storage.list(STAGING) if OWN_STAGED.fullmatch(name)}
    require_held(storage)  # else they may be those of another, who has become the writer
    for name in names - set(spared):
        storage.remove(name)


def publish_all(storage: Storage, batches: Sequence[Batch]) -> None:
    """Put the parts of batches of one commit where readers look, or remove those of batches without legs.

    These go first: no leg must ever be read twice. Games come last and go first, so that they are never there without
    their sessions. What isn't staged was published before, or is lost, which its size at the end tells.
    """
    gone = [part for batch in batches if not batch.legs for part in batch.parts]
    for part in sorted(gone, key=lambda part: part.table):
        storage.remove(part.place)
    for table in ("sessions", "games"):
        parts = [part for batch in batches if batch.legs for part in batch.parts if part.table == table]
        storage.publish_all([(part.staged, part.place) for part in parts])
