"""Finals of open contests: each has records of its own, in a folder beside those of while the contest was open.

A final of the best bots follows a preliminary of all, whose records are in a folder of the same date.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from tournament.errors import InputError, RunError
from tournament.store.reading import read_field
from tournament.store.storage import folder_of, has_records, join_location, open_storage

_FINAL, _PRELIMINARY = "final-", "preliminary-"


def final_place(results: str, closes: datetime, *, preliminary: bool = False) -> str:
    """Return the folder or URL of results for the final, or its preliminary, of contests that close at that time."""
    kind = _PRELIMINARY if preliminary else _FINAL
    return join_location(results, f"{kind}{closes.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def is_of_final(location: str) -> bool:
    """Return whether a contest's records are of a final, or its preliminary."""
    return folder_of(folder_of(location)[0])[1].startswith((_FINAL, _PRELIMINARY))


def finals_beside(location: str) -> tuple[str, ...]:
    """Return the locations of a contest's finals, the last one at the end; none if these records are a final's."""
    above, contest = folder_of(location)
    if is_of_final(location):
        return ()
    with contextlib.suppress(OSError, RunError):
        names = sorted(name for name in open_storage(above).folders() if name.startswith(_FINAL))
        finals = (join_location(join_location(above, name), contest) for name in names)
        return tuple(final for final in finals if has_records(open_storage(final)))
    return ()


def last_final(location: str) -> str:
    """Return the location of a contest's last final. Raises InputError if none was played."""
    if not (finals := finals_beside(location)):
        raise InputError(f"{location}: no final was played; omit --final to see these records")
    return finals[-1]


def preliminary_of(location: str) -> str | None:
    """Return the location of the preliminary of a final; None if these records are no final's, or it had none."""
    above, contest = folder_of(location)
    results, date = folder_of(above)
    if not date.startswith(_FINAL):
        return None
    found = join_location(join_location(results, _PRELIMINARY + date.removeprefix(_FINAL)), contest)
    return found if has_records(open_storage(found)) else None


def records_with(location: str, bot: str) -> str:
    """Return the location of records that have a bot: a final's, or its preliminary's. Raises RunError."""
    field, preliminary = read_field(open_storage(location)), preliminary_of(location)
    if preliminary is None or (field is not None and bot in field.numbers):
        return location
    return preliminary
