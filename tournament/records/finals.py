"""Finals of open contests: each has records of its own, in a folder beside those of while the contest was open."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from tournament.errors import InputError, RunError
from tournament.store.storage import folder_of, has_records, join_location, open_storage

_PREFIX = "final-"


def final_place(results: str, closes: datetime) -> str:
    """Return the folder or URL of results for the final of contests that close at that time."""
    return join_location(results, f"{_PREFIX}{closes.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def finals_beside(location: str) -> tuple[str, ...]:
    """Return the locations of a contest's finals, the last one at the end; none if these records are a final's."""
    above, contest = folder_of(location)
    if folder_of(above)[1].startswith(_PREFIX):
        return ()
    with contextlib.suppress(OSError, RunError):
        names = sorted(name for name in open_storage(above).folders() if name.startswith(_PREFIX))
        finals = (join_location(join_location(above, name), contest) for name in names)
        return tuple(final for final in finals if has_records(open_storage(final)))
    return ()


def last_final(location: str) -> str:
    """Return the location of a contest's last final. Raises InputError if none was played."""
    if not (finals := finals_beside(location)):
        raise InputError(f"{location}: no final was played; leave out --final to see these records")
    return finals[-1]
