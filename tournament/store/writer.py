"""Changing the records, by one process at a time. Killed at any step, it loses nothing.

One rename of a sessions part is the commit: of a new batch, of one from which legs were cut, or of a part without rows
in the place of one that goes. The games part follows, whoever does it: the next writer finishes what it
finds, by what the sessions parts say. In an object store a writer that was taken over may wake up. It publishes nothing
then, because the next writer has emptied staging/, from which every part is copied; and names never come again.
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
    """Changes the records of a storage. Made by `open_for_writing`, which first finishes what a crash interrupted.

    Attributes:
        storage: Where the records are.
        field: What is played; None before the first run.
        lost: What is wrong with batches that are damaged, by name.
        changes: How many changes this writer has made.
    """

    def __init__(
        self, storage: Storage, field: ContestSetup | None, batches: Sequence[Batch], lost: dict[str, str]
    ) -> None:
        self.storage, self.field, self.lost, self.changes = storage, field, lost, 0
        self._batches = {batch.name: batch for batch in batches}

    def batches(self) -> list[Batch]:
        """Return the batches that there are, sorted by name, their legs side by side in memory."""
        found = side_by_side([batch for _, batch in sorted(self._batches.items())])
        self._batches = {batch.name: batch for batch in found}
        return found

    def set_field(self, field: ContestSetup) -> None:
        """Replace the field.

        Raises:
            RunError: No one could read the field, or another process has become the writer.
            OSError: The field can't be written.
        """
        try:
            content = pack_field(field)
        except ValueError as error:
            what = " ".join(str(error).split())[:300]
            raise RunError(f"{self.storage.location}/{FIELD_NAME} would not be readable: {what}") from None
        require_held(self.storage)
        self.storage.replace(FIELD_NAME, content)
        self.field = field
        self.changes += 1

    def commit(self, batches: Sequence[Batch] = (), without: Iterable[str] = ()) -> None:
        """Add batches, each in place of the one of its name, and remove others. A signal may come in between.

        Raises:
            RunError: A part isn't there as it was written, or another process has become the writer.
            OSError: A part can't be put in its place.
        """
        self._require([(part, part.staged) for batch in batches for part in batch.parts])
        without = tuple(without)
        self.changes += bool(batches or without)
        for name in without:
            batch = self._batches.pop(name, None)
            self.lost.pop(name, None)
            if batch is not None:
                _put_removed_in_place(self.storage, batch)
            _remove_files(self.storage, name)
        self._batches |= {batch.name: batch for batch in batches}
        _publish(self.storage, batches)
        self._require([(part, part.place) for batch in batches for part in batch.parts])

    def _require(self, places: Sequence[tuple[Part, str]]) -> None:
        """Raise RunError unless each part is there, with its size."""
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
        """Raise RunError when a part is missing at the end of a run."""
        tables = {table: self.storage.list(table) for table in ("games", "sessions")}
        parts = [part for batch in self._batches.values() for part in batch.parts]
        if lost := sorted(part.place for part in parts if tables[part.table].get(part.name) != part.size):
            raise RunError(
                f"{self.storage.location}/{lost[0]}{and_more(len(lost) - 1)} can't be found as committed;"
                " run again to play what is missing"
            )

    def close(self) -> None:
        """Let others write. What is left in staging/ is finished or removed, by this writer if it can."""
        try:
            with contextlib.suppress(OSError, RunError):
                _finish(self.storage)
        finally:
            self.storage.release()


def _put_removed_in_place(storage: Storage, batch: Batch) -> None:
    """Put a part without rows in place of a batch's sessions part, which is the commit of its removal. A writer that
    was taken over can't do that, though it could remove the part."""
    from tournament.store.part_writer import PartWriter  # pyarrow, which a field doesn't need
    from tournament.store.parts import columns_in

    part = batch.part("sessions")
    with contextlib.suppress(FileNotFoundError):
        columns = columns_in(storage, part)
        writer = PartWriter(storage, "sessions", columns, part.name, f"{staged_name(batch.name)}-sessions")
        _publish_parts(storage, [replace(writer.finish_carrying(REMOVED), name=part.name)])


def _remove_files(storage: Storage, name: str) -> None:
    """Remove the parts of a batch that doesn't count any more."""
    for table in ("games", "sessions"):
        require_held(storage)
        storage.remove(f"{table}/{name}.parquet")


def _publish(storage: Storage, batches: Sequence[Batch]) -> None:
    """Put the sessions parts of staged batches in their places, which is the commit, then the games."""
    for place in (1, 0):
        _publish_parts(storage, [batch.parts[place] for batch in batches])


def _publish_parts(storage: Storage, parts: Sequence[Part]) -> None:
    if parts:
        require_held(storage)
        storage.publish_all([(part.staged, part.place) for part in parts])


def open_for_writing(storage: Storage) -> Writer:
    """Become the only writer, and finish what another one has left.

    Complete batches in staging/ are published, unless the records have some of their legs.

    Raises:
        RunError: Another process writes, or the records can't be read or written.
    """
    storage.prepare()
    storage.acquire()
    try:
        _finish(storage)
        # No former writer can publish any more, because staging/ is empty.
        batches, lost = read_batches(storage, whole=True)
        for name in _names_in(storage) - {batch.name for batch in batches} - lost.keys():
            _remove_files(storage, name)
        return Writer(storage, read_field(storage, batches), batches, lost)
    except BaseException:
        storage.release()
        raise


def _names_in(storage: Storage) -> set[str]:
    return {found[1] for name in storage.list("sessions") if (found := BATCH_FILE.fullmatch(name))}


def _finish(storage: Storage) -> None:
    """Put games in their places whose sessions parts are, publish complete batches in staging/, and empty it."""
    there = storage.list(STAGING)
    if not there:
        return
    batches, _ = read_batches(storage)
    _publish_parts(storage, [batch.parts[0] for batch in batches if _is_staged(batch, there)])
    _publish(storage, _without_known_legs(_staged_batches(storage, there, {batch.name for batch in batches}), batches))
    for name in there:
        if OWN_STAGED.fullmatch(name):
            require_held(storage)  # else it may be one of another, who has become the writer
            storage.remove(f"{STAGING}/{name}")


def _is_staged(batch: Batch, there: dict[str, int]) -> bool:
    """Return whether the games of a batch wait in staging/, which has these files."""
    games = batch.parts[0]
    return there.get(games.staged.partition("/")[2]) == games.size


def _staged_batches(storage: Storage, there: dict[str, int], known: set[str]) -> list[Batch]:
    """Return the complete new batches that wait in staging/: not those of cuts, which are made again."""
    found = []
    for name in sorted(there):
        matched = OWN_STAGED.fullmatch(name)
        if matched and matched[2] == "sessions" and matched[1] not in known:
            try:
                batch = read_batch(storage, matched[1], f"{STAGING}/{name}", whole=True)
            except (FileNotFoundError, DamagedPart):
                continue
            if _is_staged(batch, there):
                found.append(batch)
    return found


def _without_known_legs(batches: Sequence[Batch], known: Sequence[Batch]) -> list[Batch]:
    """Return the batches that have none of the known legs, and none that another one of them has."""
    if not batches:
        return []
    seen = _keys(Legs.joined(batch.legs for batch in known))
    found = []
    for batch in batches:
        keys = _keys(batch.legs)
        if seen.isdisjoint(keys):
            seen |= keys
            found.append(batch)
    return found


def _keys(legs: Legs) -> set[complex]:
    """Return a key for the match and number of each leg."""
    return {*pair_keys(legs.match, legs.number).tolist()}


def require_held(storage: Storage) -> None:
    """Raise RunError where another process has become the writer."""
    if not storage.still_held():
        raise RunError(f"another process writes to {storage.location} now; this one stops")
