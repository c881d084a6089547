"""What lies in games/ and sessions/ and is no part that counts: whoever reads these would read it as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tournament.errors import RunFailed, and_more
from tournament.store.ledger import TABLES, State
from tournament.store.ledger_reading import states
from tournament.store.storage import Storage
from tournament.store.writer import Writer

_PASSED_OVER = (".", "_")  # with which names begin that readers of a folder leave out


def in_tables(storage: Storage) -> dict[str, bool]:
    """The places of all that a reader of the tables' folders would open, and whether each is a file."""
    return {
        f"{table}/{name}": is_file
        for table in TABLES
        for name, is_file in storage.everything(table).items()
        if not name.startswith(_PASSED_OVER)
    }


def strays(there: Mapping[str, bool], state: State, *, writing: bool = False) -> list[str]:
    """Which of these places the ledger's state doesn't know. With `writing`, a commit may be half done."""
    parts = {
        part.place
        for versions in state.batches.values()
        for batch in (versions if writing else versions[-1:])
        if writing or batch.legs
        for part in batch.parts
    }
    return sorted(place for place, is_file in there.items() if not (is_file and place in parts))


def remove_strays(writer: Writer, say: Callable[[str], None]) -> None:
    """Remove parts that no longer count. Raises OSError, and RunFailed for what was never one: it is somebody's."""
    storage = writer.storage
    there = in_tables(storage)
    found = strays(there, writer.state)
    once = once_named(storage) if found else set()
    for place in found:
        if there[place] and place in once:
            storage.remove(place)
            say(f"Removed {place}, a part of former games")
    if others := [shown(place) for place in found if not (there[place] and place in once)]:
        raise RunFailed(
            f"{storage.location}/{others[0]}{and_more(len(others) - 1)} is none of the records, and whoever reads these"
            " would read it: move it away and run again"
        )


def once_named(storage: Storage) -> set[str]:
    """The places of all parts that the ledger's entries name. Raises as `states`."""
    return {part.place for _, entry in states(storage) for batch in entry.batches for part in batch.parts}


def shown(place: str) -> str:
    """A place as it can stand in a line, whatever a stranger called it."""
    return place if place.isprintable() else ascii(place)[1:-1]
