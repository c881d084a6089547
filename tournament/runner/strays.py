"""What lies among the records and is none of them: whoever reads a table's folder would read it as well.

In a results folder's own top other things may lie: no table is read there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from tournament.contests.contest import Contest
from tournament.store.ledger import State, entry_name
from tournament.store.secrets import SECRETS
from tournament.store.storage import NOTES, SIGN, Storage
from tournament.store.writer import OWN_STAGED, Writer

_SEED = re.compile(r"[0-9a-f]{32}(-copy|-key)?")
_OF_NFS = re.compile(r"\.nfs[0-9a-f]+")  # a file that is removed and still open
_FOLDERS = ("games", "sessions", "ledger", "ledger-copy", "staging", SECRETS, "house")
_MOST_NAMED = 5


def among_records(storage: Storage) -> dict[str, bool]:
    """The places of all that lies in the folders of the records, and whether each is a file."""
    return {f"{folder}/{name}": is_file for folder in _FOLDERS for name, is_file in storage.everything(folder).items()}


def strays(there: Mapping[str, bool], contest: Contest, state: State, *, writing: bool = False) -> list[str]:
    """Which of these places the ledger's state doesn't know. With `writing`, a commit may be half done."""
    entries = {entry_name(number) for number in range(1, state.entries + 1)}
    parts = {
        part.place
        for versions in state.batches.values()
        for batch in (versions if writing else versions[-1:])
        if writing or batch.legs
        for part in batch.parts
    }
    house: set[str] = set()
    if contest.house and contest.house.suffix is not None and state.field:
        players = {*state.field.house_numbers, *contest.house.examples}
        house = {f"{name}{contest.house.suffix}" for name in players}
    belongs: dict[str, Callable[[str], object]] = {
        "ledger": lambda name: name in entries or f"ledger/{name}" in NOTES | {SIGN},
        "ledger-copy": entries.__contains__,
        "staging": OWN_STAGED.fullmatch,
        SECRETS: _SEED.fullmatch,
        "house": house.__contains__,
    }

    def is_known(place: str) -> bool:
        folder, _, name = place.partition("/")
        known = place in parts if folder in ("games", "sessions") else belongs[folder](name)
        return bool(known or _OF_NFS.fullmatch(name))

    return sorted(place for place, is_file in there.items() if not (is_file and is_known(place)))


def set_strays_aside(writer: Writer, contest: Contest, say: Callable[[str], None]) -> None:
    """Move what is none of the records out of their folders, and say where to. Raises OSError and RunFailed."""
    found = strays(among_records(writer.storage), contest, writer.state)
    if found:
        where = writer.storage.set_aside(found)
        named = ", ".join(map(shown, found[:_MOST_NAMED]))
        more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
        say(f"None of the records: {named}{more}; now in {where}")


def shown(place: str) -> str:
    """A place as it can stand in a line, whatever a stranger called it."""
    return place if place.isprintable() else ascii(place)[1:-1]
