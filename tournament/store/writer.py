"""Committing to the ledger and publishing parts, by one process at a time. Killed at any step, it loses nothing."""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tournament.errors import RunError, and_more
from tournament.leg import legs_per_replica
from tournament.store.ledger import (
    ENTRY_NAME,
    TABLES,
    Batch,
    ContestSetup,
    Entry,
    LegsFile,
    ListedBatch,
    Part,
    State,
    entry_name,
    pack,
    unpack,
)
from tournament.store.ledger_reading import IS_MISSING, read_batches, read_state, require_own, side_by_side
from tournament.store.legs import Legs
from tournament.store.storage import MOST_READ, OWN_STAGED, STAGING, AlreadyExists, Storage, is_url

# The most legs, and bytes of the texts of faults, of a commit that has several batches; and the bytes of their parts,
# which wait in staging/ until then. Each commit of an edit rewrites the files of legs that it meets: few are fast.
_MOST_LEGS, _MOST_BYTES, _MOST_STAGED = 1 << 18, 8 << 20, 32 << 20
_LISTED_BYTES = 1000  # of a batch, its legs aside
# With more files of legs the smallest are put together, this many at once: each leg is rewritten a few times at most.
_MOST_FILES, _TOGETHER = 20, 8
_LEGS_OF_FILE = 1 << 20  # the most


class Change(NamedTuple):
    """What a commit does: batches that come, and the names of those that leave."""

    batches: tuple[Batch, ...] = ()
    without: tuple[str, ...] = ()


def in_commits(changes: Iterable[Change]) -> Iterator[Change]:
    """Changes as they go into entries, several each: many workers with short legs hand over a great many batches at
    once."""
    several, weight = Change(), np.zeros(3)
    for change in changes:
        more = np.sum([(0, _LISTED_BYTES * len(change.without), 0), *map(_weight, change.batches)], axis=0)
        if several != Change() and (weight + more > (_MOST_LEGS, _MOST_BYTES, _MOST_STAGED)).any():
            yield several
            several, weight = Change(), np.zeros(3)
        several = Change(several.batches + change.batches, several.without + change.without)
        weight += more
    if several != Change():
        yield several


def _weight(batch: Batch) -> tuple[int, int, int]:
    """How many legs a batch brings, and the bytes of their texts; and the bytes of its parts that are staged."""
    return len(batch.legs), batch.legs.text_size + _LISTED_BYTES, sum(part.size for part in batch.parts)


@dataclass(frozen=True)
class _Changes:
    """What an entry, by its name, does to the tables: the places of parts that go, and parts that come."""

    name: str
    going: Sequence[str]
    coming: Sequence[Part]

    def publish(self, storage: Storage) -> None:
        """Remove parts, and put others where readers look. What isn't staged was published before, or is lost, which
        its size at the end tells.

        Those that go go first: no leg must ever be read twice. Games come last and go first, so that they are never
        there without the rest.
        """
        for place in sorted(self.going, key=lambda place: TABLES.index(place.partition("/")[0])):
            require_held(storage)
            storage.remove(place)
        for table in reversed(TABLES):
            storage.publish_all([(part.staged, part.place) for part in self.coming if part.table == table])


class Writer:
    """Commits to a ledger. Made by `open_for_writing`, which first finishes what a crash interrupted.

    `batches` has those that count with their legs, by name; without those that are `lost`, which a part of legs/ had
    that is missing or damaged, and why.
    """

    def __init__(self, storage: Storage, state: State) -> None:
        self.storage = storage
        self.state = state
        self.batches: dict[str, Batch] = {}
        self.lost: dict[str, str] = {}
        self._standing: list[Batch] | None = None  # until the next commit
        self._under_commit: _Changes | None = None  # while it isn't known to be published

    def standing(self) -> list[Batch]:
        """The batches that count, sorted by name, their legs side by side. Raises RunError where a leg counts twice, or
        is none of the field's."""
        if self._standing is None:
            standing = side_by_side([batch for _, batch in sorted(self.batches.items())])
            require_own(self.storage.location, self.state.field, standing)
            self.batches, self._standing = {batch.name: batch for batch in standing}, standing
        return [*self._standing]

    def commit(
        self, *, field: ContestSetup | None = None, batches: Sequence[Batch] = (), without: Iterable[str] = ()
    ) -> None:
        """Append an entry that adds batches and takes others away, and publish their parts. A signal may come in
        between: `close` publishes what the ledger has.

        Raises RunError when another process has become the writer, or a part isn't there as it was written; OSError
        when something can't be written.
        """
        without = tuple(without)
        parts = [part for batch in batches for part in batch.parts]
        self._require([(part, part.staged) for part in parts])
        without_files, files = self._files_of_legs(field, batches, without)
        entry = self.state.next_entry(field, tuple(map(_listed, batches)), files, without, without_files)
        going = [part.place for part in self.state.parts_left(entry)]
        self._under_commit = _Changes(entry_name(self.state.entries + 1), going, entry.parts)
        try:
            append(self.storage, self.state, entry)
        except AlreadyExists:
            raise _not_mine(self.storage) from None
        self._standing = None
        for name in without:
            self.batches.pop(name, None)
            self.lost.pop(name, None)
        self.batches |= {batch.name: batch for batch in batches}
        self._under_commit.publish(self.storage)
        self._under_commit = None
        self._require([(part, part.place) for part in parts])

    def _files_of_legs(
        self, field: ContestSetup | None, came: Sequence[Batch], without: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[LegsFile, ...]]:
        """The files of legs that leave, and those that come, staged: what leaves had takes the rest of its legs along,
        and where there are many, the smallest are put together."""
        from tournament.store.leg_parts import stage_legs  # pyarrow, which reading a field doesn't need

        known = self.state.files
        leaving = {self.state.file_of[name] for name in without}
        if came and len(known) - len(leaving) >= _MOST_FILES:
            others = sorted(known.keys() - leaving)
            leaving.update(heapq.nsmallest(_TOGETHER, others, key=lambda name: known[name].parts[0].rows))
        stay = [name for file in leaving for name in known[file].batches if name not in without]
        for name in self.lost.keys() & stay:
            place = f"legs/{self.state.file_of[name]}.parquet"
            raise RunError(f"{self.storage.location}/{place} is {self.lost[name]}; run again to play its legs again")
        field = field or self.state.field
        per_replica = 1 if field is None or field.house_numbers else legs_per_replica(field.settings)
        together = sorted(
            (*(self.batches[name] for name in stay), *came),
            key=lambda batch: (int(batch.legs.number[0]) // per_replica, batch.name),
        )
        files: list[LegsFile] = []
        while together:
            count = int(np.searchsorted(np.cumsum([len(batch.legs) for batch in together]), _LEGS_OF_FILE, "right"))
            some, together = together[: max(1, count)], together[max(1, count) :]
            name = f"{self.state.entries + 1:08}-{len(files)}"
            try:
                legs = Legs.joined(batch.legs for batch in some)
                files.append(stage_legs(self.storage, name, list(map(_listed, some)), legs, per_replica))
            except ValueError as error:
                raise _unreadable(f"{self.storage.location}/legs/{name}.parquet", error) from None
        return tuple(leaving), tuple(files)

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
        tables = {table: self.storage.list(table) for table in TABLES}
        lost = [part for part in self.state.parts if tables[part.table].get(part.name) != part.size]
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
                named = self.state.parts
                if self._under_commit is not None:
                    require_held(self.storage)
                    if self._under_commit.name in self.storage.list("ledger"):
                        self._under_commit.publish(self.storage)
                    elif is_url(self.storage.location):  # a store may still be writing it: the next writer publishes
                        named += self._under_commit.coming
                _sweep_staging(self.storage, {part.staged for part in named})
                if self._under_commit is None and self.state.needs_snapshot:
                    former = self.state.fold
                    append(self.storage, self.state, self.state.folded())
                    _remove_entries(self.storage, former)
        finally:
            self.storage.release()


def _listed(batch: Batch) -> ListedBatch:
    return ListedBatch(batch.name, batch.parts, len(batch.legs), batch.sandbox)


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
        writer = Writer(storage, hold_ledger(storage))
        there = {f"{table}/{name}" for table in TABLES for name in storage.list(table)}
        staged = {f"{STAGING}/{name}" for name in storage.list(STAGING)}
        coming = [part for part in writer.state.parts if part.staged in staged]
        _Changes("", sorted(writer.state.gone & there), coming).publish(storage)
        _sweep_staging(storage, ())
        batches, problems = read_batches(storage, writer.state)
        writer.batches = {batch.name: batch for batch in batches}
        writer.lost = {
            batch: "missing" if problem.endswith(IS_MISSING) else "damaged"
            for file, problem in problems.items()
            for batch in writer.state.files[file].batches
        }
    except BaseException:
        storage.release()
        raise
    return writer


def hold_ledger(storage: Storage) -> State:
    """Become the only writer and read the ledger. Raises RunError while another process holds it.

    A former writer may wake up in the middle of a commit: an entry that changes nothing takes the number that it would
    use.
    """
    may_wake = storage.acquire()
    state = read_state(storage)
    while may_wake and state.field:
        try:
            append(storage, state, state.next_entry(state.field))
            may_wake = False
        except AlreadyExists:  # the former writer was faster
            state = read_state(storage)
    return state


def append(storage: Storage, state: State, entry: Entry) -> None:
    """Write the next entry. Raises AlreadyExists where another process has; RunError where one has become the writer,
    or no one could read the entry; OSError."""
    name = entry_name(state.entries + 1)
    try:
        content = pack(entry)
        unpack(content)
        if len(content) > MOST_READ:
            raise ValueError(f"it has {len(content):,} bytes")
    except ValueError as error:
        raise _unreadable(f"{storage.location}/ledger/{name}", error) from None
    require_held(storage)
    storage.create(f"ledger/{name}", content)
    require_held(storage)  # an entry of that number may have been written and removed since
    state.add(entry, len(content))


def _unreadable(place: str, error: ValueError) -> RunError:
    return RunError(f"{place} would not be readable: {' '.join(str(error).split())[:300]}")


def _remove_entries(storage: Storage, before: int) -> None:
    """Remove the entries before this fold, which isn't the newest one: who reads now may still begin there."""
    for name in sorted(storage.list("ledger")):
        if ENTRY_NAME.fullmatch(name) and name < entry_name(before):
            require_held(storage)
            storage.remove(f"ledger/{name}")


def _sweep_staging(storage: Storage, spared: Iterable[str]) -> None:
    """Remove what this package has staged, except the spared files."""
    names = {f"{STAGING}/{name}" for name in storage.list(STAGING) if OWN_STAGED.fullmatch(name)}
    for name in names - set(spared):
        require_held(storage)  # else it may be one of another, who has become the writer
        storage.remove(name)
