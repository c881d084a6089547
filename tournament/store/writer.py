"""Changes of the records, by one process at a time. If it is killed at any step, nothing is lost.

The commit is the renaming of a sessions part. It is that of a new batch, of a batch from which legs were cut, or one
without rows in place of a removed one. The games part follows. If the writer ends before that, the next writer moves
the games part, according to the sessions parts.

In an object store, a writer that was replaced might continue. It publishes nothing, because the next writer has emptied
staging/, from which every part is copied, and names are never used again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tournament.errors import RunError, and_more
from tournament.store.carried import REMOVED, DamagedPart, read_batch
from tournament.store.field import BATCH_FILE, Batch, ContestSetup, Part
from tournament.store.field_file import pack_field
from tournament.store.legs import Legs, pair_keys
from tournament.store.reading import read_batches, read_field, side_by_side
from tournament.store.storage import FIELD_NAME, OWN_STAGED, STAGING, Storage, staged_name


class Writer:
    """Changes the records of a storage. `open_for_writing` makes it, and first completes interrupted changes.

    Attributes:
        storage: Storage of the records.
        field: The field; None before the first run.
        lost: Problem of each damaged or incomplete batch that wasn't removed yet, by name.
        changes: Number of changes that this writer has made: replacements of the field, and commits that aren't empty.
    """

    def __init__(
        self, storage: Storage, field: ContestSetup | None, batches: Sequence[Batch], lost: dict[str, str]
    ) -> None:
        self.storage, self.field, self.lost, self.changes = storage, field, lost, 0
        self._batches = {batch.name: batch for batch in batches}

    def batches(self) -> list[Batch]:
        """Return the batches sorted by name, with their legs contiguous in memory."""
        batches = side_by_side([batch for _, batch in sorted(self._batches.items())])
        self._batches = {batch.name: batch for batch in batches}
        return batches

    def set_field(self, field: ContestSetup) -> None:
        """Replace the field.

        Raises:
            RunError: The field couldn't be read again, or another process has become the writer.
            OSError: The field can't be written.
        """
        try:
            content = pack_field(field)
        except ValueError as error:
            reason = " ".join(str(error).split())[:300]
            raise RunError(f"{self.storage.location}/{FIELD_NAME} would not be readable: {reason}") from None
        require_held(self.storage)
        self.storage.replace(FIELD_NAME, content)
        self.field = field
        self.changes += 1

    def commit(self, batches: Sequence[Batch] = (), without: Iterable[str] = ()) -> None:
        """Add batches, each of which replaces the one with its name, and remove other batches first.

        A signal can interrupt it: the next writer completes the change.

        Args:
            batches: Batches whose parts are staged.
            without: Names of the batches to remove. Files of unknown and damaged batches are removed, too.

        Raises:
            RunError: A part is missing or has another size, the part of a batch to remove is damaged, or another
                process has become the writer.
            OSError: A part can't be published or removed, or the part of a batch to remove can't be read.
        """
        self._require([(part, part.staged) for batch in batches for part in batch.parts])
        without = tuple(without)
        self.changes += bool(batches or without)
        for name in without:
            batch = self._batches.pop(name, None)
            self.lost.pop(name, None)
            if batch is not None:
                _publish_removal(self.storage, batch)
            _remove_files(self.storage, name)
        self._batches |= {batch.name: batch for batch in batches}
        _publish(self.storage, batches)
        self._require([(part, part.path) for batch in batches for part in batch.parts])

    def _require(self, paths: Sequence[tuple[Part, str]]) -> None:
        """Check that each part exists and has its size.

        Raises:
            RunError: A part is missing or has another size, or another process has become the writer.
            OSError: A folder of parts can't be searched.
        """
        sizes = self.storage.sizes([place for _, place in sorted(paths, key=lambda one: one[1])])
        for part, place in paths:
            size = sizes.get(place)
            if size != part.size:
                # A new writer might have removed the staged files.
                require_held(self.storage)
                state = "is missing" if size is None else f"has {size:,} bytes"
                raise RunError(
                    f"{self.storage.location}/{place} {state}, of {part.size:,} bytes that were written;"
                    " all workers must write where this process reads"
                )

    def require_all_parts(self) -> None:
        """Check at the end of a run that all parts exist.

        Raises:
            RunError: A part is missing or has another size, or the storage can't be read.
        """
        tables = {table: self.storage.list(table) for table in ("games", "sessions")}
        parts = [part for batch in self._batches.values() for part in batch.parts]
        if lost := sorted(part.path for part in parts if tables[part.table].get(part.name) != part.size):
            raise RunError(
                f"{self.storage.location}/{lost[0]}{and_more(len(lost) - 1)} can't be found as committed;"
                " run again to play what is missing"
            )

    def close(self) -> None:
        """Let other processes become the writer, after completing or removing staged files, if possible."""
        try:
            with contextlib.suppress(OSError, RunError):
                _finish(self.storage)
        finally:
            self.storage.release()


def _publish_removal(storage: Storage, batch: Batch) -> None:
    """Publish a part without rows in place of a batch's sessions part, which commits the removal of the batch.

    Nothing happens if that part is missing already. A writer that was replaced can't do this, although it could remove
    the part.

    Raises:
        OSError: The part to replace can't be read, or the new one can't be written or published.
        RunError: The part to replace is damaged, or another process has become the writer.
    """
    # Imported here, because both load pyarrow, which a field doesn't need.
    from tournament.store.part_writer import PartWriter
    from tournament.store.parts import columns_in

    part = batch.part("sessions")
    with contextlib.suppress(FileNotFoundError):
        columns = columns_in(storage, part)
        writer = PartWriter(storage, "sessions", columns, part.name, f"{staged_name(batch.name)}-sessions")
        _publish_parts(storage, [replace(writer.finish_carrying(REMOVED), name=part.name)])


def _remove_files(storage: Storage, name: str) -> None:
    """Remove the parts of a batch that no longer counts.

    Raises:
        OSError: A part can't be removed.
        RunError: Another process has become the writer.
    """
    for table in ("games", "sessions"):
        require_held(storage)
        storage.remove(f"{table}/{name}.parquet")


def _publish(storage: Storage, batches: Sequence[Batch]) -> None:
    """Publish the sessions parts of staged batches, which is the commit, then the games parts.

    Raises:
        OSError: A part can't be published.
        RunError: Another process has become the writer.
    """
    for index in (1, 0):
        _publish_parts(storage, [batch.parts[index] for batch in batches])


def _publish_parts(storage: Storage, parts: Sequence[Part]) -> None:
    """Publish those staged parts that exist, in this order.

    Raises:
        OSError: A part can't be published.
        RunError: Another process has become the writer, or a request to the object store fails.
    """
    if parts:
        require_held(storage)
        storage.publish_all([(part.staged, part.path) for part in parts])


def open_for_writing(storage: Storage) -> Writer:
    """Become the only writer, and complete interrupted changes.

    Complete batches in staging/ are published, unless the records have some of their legs.

    Raises:
        RunError: Another process is the writer, or the records can't be read or written. Or they are of an earlier
            version or of several tournaments.
        InputError: The URL of an object store needs an account.
        OSError: A part can't be published or removed, or a file can't be read.
    """
    storage.prepare()
    storage.acquire()
    try:
        _finish(storage)
        # Now staging/ is empty, so a previous writer can't publish anything.
        batches, lost = read_batches(storage, with_rows=True)
        for name in _names_in(storage) - {batch.name for batch in batches} - lost.keys():
            _remove_files(storage, name)
        return Writer(storage, read_field(storage, batches), batches, lost)
    except BaseException:
        storage.release()
        raise


def _names_in(storage: Storage) -> set[str]:
    """Return the names of all batches that have a sessions part, also a damaged one or one without rows.

    Raises:
        RunError: The folder can't be read.
    """
    return {found[1] for name in storage.list("sessions") if (found := BATCH_FILE.fullmatch(name))}


def _finish(storage: Storage) -> None:
    """Publish staged games whose sessions are published, then complete staged batches, and empty staging/.

    Raises:
        OSError: A part can't be published or removed, or a folder of parts can't be searched.
        RunError: The storage or a staged part can't be read, or another process has become the writer.
    """
    staged = storage.list(STAGING)
    if not staged:
        return
    batches, _ = read_batches(storage)
    _publish_parts(storage, [batch.parts[0] for batch in batches if _is_staged(batch, staged)])
    _publish(
        storage, _without_recorded_legs(_staged_batches(storage, staged, {batch.name for batch in batches}), batches)
    )
    for name in staged:
        if OWN_STAGED.fullmatch(name):
            # Another process that has become the writer might have staged the file.
            require_held(storage)
            storage.remove(f"{STAGING}/{name}")


def _is_staged(batch: Batch, staged: dict[str, int]) -> bool:
    """Return whether the games of a batch are in staging/, given the sizes of the files there."""
    games = batch.parts[0]
    return staged.get(games.staged.partition("/")[2]) == games.size


def _staged_batches(storage: Storage, staged: dict[str, int], published: set[str]) -> list[Batch]:
    """Return the complete new batches in staging/, sorted by name.

    Batches from which legs were cut aren't new: they are made again. Batches with a damaged or missing part are
    omitted.

    Args:
        storage: Storage of the records.
        staged: Size in bytes of each file in staging/, by name.
        published: Names of the published batches.

    Raises:
        RunError: A part can't be opened.
    """
    complete = []
    for name in sorted(staged):
        matched = OWN_STAGED.fullmatch(name)
        if matched and matched[2] == "sessions" and matched[1] not in published:
            try:
                batch = read_batch(storage, matched[1], f"{STAGING}/{name}", with_rows=True)
            except (FileNotFoundError, DamagedPart):
                continue
            if _is_staged(batch, staged):
                complete.append(batch)
    return complete


def _without_recorded_legs(batches: Sequence[Batch], recorded: Sequence[Batch]) -> list[Batch]:
    """Return the batches, in the same order, with none of the recorded legs and no leg of an earlier one of them."""
    if not batches:
        return []
    seen = _keys(Legs.joined(batch.legs for batch in recorded))
    new = []
    for batch in batches:
        keys = _keys(batch.legs)
        if seen.isdisjoint(keys):
            seen |= keys
            new.append(batch)
    return new


def _keys(legs: Legs) -> set[complex]:
    """Return a key for the match and number of each leg."""
    return {*pair_keys(legs.match, legs.number).tolist()}


def require_held(storage: Storage) -> None:
    """Check that this process is still the writer.

    Raises:
        RunError: Another process has become the writer, or a request to the object store fails.
    """
    if not storage.still_held():
        raise RunError(f"another process now writes to {storage.location}; this one stops")
