"""Files in the tables' folders that are no part that counts, because other readers of the folders would read them."""

from __future__ import annotations

from collections.abc import Mapping

from tournament.errors import RunError, and_more
from tournament.store.field import BATCH_FILE, SUMMARY_FILE, TABLES
from tournament.store.storage import Storage
from tournament.store.writer import Writer

_IGNORED_PREFIXES = (".", "_")  # first characters of names that readers of a folder omit


def in_tables(storage: Storage) -> dict[str, bool]:
    """Return the paths of everything that a reader of the tables' folders would open, and whether each is a file.

    Entries whose names begin with "." or "_" are omitted.

    Raises:
        RunError: A folder can't be read, or the object store's request fails.
    """
    return {
        f"{table}/{name}": is_file
        for table in TABLES
        for name, is_file in storage.everything(table).items()
        if not name.startswith(_IGNORED_PREFIXES)
    }


def find_strays(entries: Mapping[str, bool]) -> list[str]:
    """Return the paths that no part of the records can have, sorted, including all entries that aren't files.

    Args:
        entries: Paths, each with whether it is a file.
    """
    names = {"games": BATCH_FILE, "sessions": BATCH_FILE, "legs": SUMMARY_FILE, "faults": SUMMARY_FILE}
    paths = []
    for path, is_file in entries.items():
        table, _, name = path.partition("/")
        if not (is_file and names[table].fullmatch(name)):
            paths.append(path)
    return sorted(paths)


def require_no_strays(writer: Writer) -> None:
    """Check that nothing else is among the parts, because it might be a user's.

    Raises:
        RunError: Something else is among them, or a folder can't be read.
    """
    storage = writer.storage
    if found := find_strays(in_tables(storage)):
        raise RunError(
            f"{storage.location}/{escape_path(found[0])}{and_more(len(found) - 1)} isn't part of the records, but"
            " readers of the records would read it; move it away and run again"
        )


def escape_path(path: str) -> str:
    """Return a path as one line, with escapes if a character isn't printable."""
    return path if path.isprintable() else ascii(path)[1:-1]
