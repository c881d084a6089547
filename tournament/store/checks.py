"""Notes of which parts were found whole, with their stamps: parts with the same stamp aren't read again.

Reading large records at each start would take minutes, and a stamp changes when somebody writes there.
Silent corruption is found by page checksums when a part is read, before it is rewritten, and by a full check. The
notes may be missing, old or a stranger's: at worst a part is read again, or isn't read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from pydantic import TypeAdapter

from tournament.store.ledger import Batch, Part
from tournament.store.parts import damage
from tournament.store.storage import Storage, TooLarge

_FILE = "ledger/checked"
_MOST_NEW, _MOST_OF_PART = 1 << 16, 1 << 10  # bytes of notes: in all, and of each part that is there


@cache
def _all_notes() -> TypeAdapter[dict[str, tuple[str, str]]]:
    return TypeAdapter(dict[str, tuple[str, str]])


class Checks:
    """Notes of a contest's parts: the hash of each that was found whole, and its stamp."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._stamps = self._stamps_now()
        self._written = _read(storage, _MOST_NEW + _MOST_OF_PART * len(self._stamps))
        self._notes = dict(self._written)
        self._read: set[str] = set()
        self._doubtful: set[str] = set()

    def is_noted(self, part: Part) -> bool:
        """Whether a part was found whole, and has not been written since."""
        return self._notes.get(part.place) == (part.digest, self._stamps.get(part.place))

    def damages(self, batches: Iterable[Batch]) -> dict[str, str]:
        """Read the parts of batches, each once; return what is wrong with damaged ones, by the batch's name."""
        unread = [batch for batch in batches if batch.name not in self._read]
        with ThreadPoolExecutor() as pool:
            problems = list(pool.map(self._damage, unread))
        self._read |= {batch.name for batch in unread}
        return {batch.name: problem for batch, problem in zip(unread, problems) if problem}

    def _damage(self, batch: Batch) -> str:
        problems = {damage(self._storage, part) for part in batch.parts} - {""}
        for part in batch.parts:
            if problems:
                self._doubtful.add(part.place)
            elif stamp := self._stamps.get(part.place):  # taken before the part was read
                self._notes[part.place] = (part.digest, stamp)
        return "missing" if "missing" in problems else "damaged" if problems else ""

    def write(self, batches: Iterable[Batch], published: Mapping[str, str]) -> None:
        """Write notes of the parts of these batches only; new parts count as whole. Raises OSError. `published` has the
        stamps that parts had when they were published, by place."""
        stamps = self._stamps_now()
        notes = {}
        for part in (part for batch in batches for part in batch.parts):
            if part.place in stamps and part.place not in self._doubtful:
                known = self._notes.get(part.place)
                stamp = published.get(part.place, stamps[part.place])
                notes[part.place] = known if known and known[0] == part.digest else (part.digest, stamp)
        self._stamps, self._notes = stamps, notes
        if notes != self._written:
            self._storage.replace(_FILE, _all_notes().dump_json(notes))
            self._written = dict(notes)

    def _stamps_now(self) -> dict[str, str]:
        return {
            f"{table}/{name}": stamp
            for table in ("games", "sessions")
            for name, stamp in self._storage.stamps(table).items()
        }


def _read(storage: Storage, most: int) -> dict[str, tuple[str, str]]:
    try:
        return _all_notes().validate_json(storage.read(_FILE, most))
    except (FileNotFoundError, TooLarge, ValueError):
        return {}
