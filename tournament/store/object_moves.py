"""Moving a contest's records to an archive beside them and back, in a store where nothing can be renamed.

Objects are copied one by one, then removed where they were. A note at the records' place says how far that is, and so
which copy counts: "storing" an archive, then "stored"; or "fetching" one, then "fetched". After a crash the next
process removes an unfinished copy, or what is left of the source.
"""

from __future__ import annotations

from collections.abc import Callable

from tournament.errors import RunFailed
from tournament.store.object_client import ObjectClient
from tournament.store.storage import SIGN

NOTE = "ledger/moving"
# By state: whether the records at their place count and the archive is removed, or the other way round.
_STATES = {"storing": True, "stored": False, "fetching": False, "fetched": True}
_STAYING = {SIGN, NOTE}
_MOST_OF_NOTE = 1 << 12  # bytes
_PORTION = 500  # objects between two checks that this process is still the writer


def store(client: ObjectClient, place: str, archive: str, still_held: Callable[[], None]) -> None:
    """Move the records at a prefix to another beside it, which is empty. `still_held` raises when this process is no
    longer the writer."""
    _write_note(client, place, "storing", archive)
    _copy(client, place, archive, still_held)
    _write_note(client, place, "stored", archive)
    settle(client, place, still_held)


def fetch(client: ObjectClient, place: str, archive: str, still_held: Callable[[], None]) -> None:
    """Move an archive back to the records' place, which is empty."""
    _write_note(client, place, "fetching", archive)
    _copy(client, archive, place, still_held)
    _write_note(client, place, "fetched", archive)
    settle(client, place, still_held)


def _copy(client: ObjectClient, source: str, target: str, still_held: Callable[[], None]) -> None:
    names = sorted(client.walk(source).keys() - _STAYING)
    for start in range(0, len(names), _PORTION):
        still_held()
        portion = names[start : start + _PORTION]
        client.copy_all([f"{source}{name}" for name in portion], [f"{target}{name}" for name in portion])
    still_held()


def counts(client: ObjectClient, place: str) -> bool:
    """Whether the records at a place count, by the note there if there is one."""
    state, _ = _read_note(client, place)
    return not state or _STATES[state]


def settle(client: ObjectClient, place: str, still_held: Callable[[], None]) -> None:
    """Finish or undo the move that the note at a place tells of. Raises RunFailed for a note that isn't ours."""
    state, archive = _read_note(client, place)
    if not state:
        return
    going, staying = (archive, place) if _STATES[state] else (place, archive)
    there = client.walk(staying)
    # The note may be a stranger's: only what is there twice is removed.
    names = [n for n, size in client.walk(going).items() if there.get(n) == size and n not in _STAYING]
    for start in range(0, len(names), _PORTION):
        still_held()
        client.remove([f"{going}{name}" for name in names[start : start + _PORTION]])
    still_held()
    client.remove([f"{place}{NOTE}"])


def _write_note(client: ObjectClient, place: str, state: str, archive: str) -> None:
    client.put(f"{place}{NOTE}", f"{state} {split(archive)[1]}".encode())


def _read_note(client: ObjectClient, place: str) -> tuple[str, str]:
    """A note's state, and the prefix of the archive; empty texts where there is none."""
    try:
        state, _, name = client.get(f"{place}{NOTE}", _MOST_OF_NOTE)[0].decode(errors="replace").partition(" ")
    except FileNotFoundError:
        return "", ""
    above, here = split(place)
    number = name.removeprefix(f"{here}-archive-")
    if state not in _STATES or not (number.isascii() and number.isdigit()):
        raise RunFailed(f"{client.url}: {place}{NOTE} is damaged; take it away")
    return state, f"{above}{name}/"


def split(prefix: str) -> tuple[str, str]:
    """The prefix above one, and the last part of it."""
    above, slash, name = prefix.rstrip("/").rpartition("/")
    return above + slash, name
