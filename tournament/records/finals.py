"""Finals of open contests. Each has its own records, in a folder next to those made while the contest was open.

A final of the best bots follows a preliminary of all bots, whose records are in a folder with the same date.
"""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

from tournament.errors import InputError, RunError
from tournament.store.reading import read_field
from tournament.store.storage import has_records, join_location, open_storage, split_location

_FINAL, _PRELIMINARY = "final-", "preliminary-"


def final_location(results: str, closes: datetime, *, preliminary: bool = False) -> str:
    """Return the folder or URL of results for the final, or its preliminary, of contests that close at a time.

    Args:
        results: Folder or URL of the results of open contests.
        closes: Time at which the contests close. The name has it in UTC.
        preliminary: Whether to return that of the preliminary.
    """
    kind = _PRELIMINARY if preliminary else _FINAL
    return join_location(results, f"{kind}{closes.astimezone(UTC):%Y%m%dT%H%M%SZ}")


def is_final(location: str) -> bool:
    """Return whether a contest's records are those of a final or its preliminary, by the name of their folder."""
    return split_location(split_location(location)[0])[1].startswith((_FINAL, _PRELIMINARY))


def finals_beside(location: str) -> tuple[str, ...]:
    """Return the locations of a contest's finals, the last one at the end.

    The result is () if no final was played, or these records are a final's or a preliminary's. It is () if a folder
    can't be read, too.

    Raises:
        InputError: The location is an invalid URL, or needs an account.
    """
    parent, contest = split_location(location)
    if is_final(location):
        return ()
    with contextlib.suppress(OSError, RunError):
        names = sorted(name for name in open_storage(parent).folders() if name.startswith(_FINAL))
        finals = (join_location(join_location(parent, name), contest) for name in names)
        return tuple(final for final in finals if has_records(open_storage(final)))
    return ()


def last_final(location: str) -> str:
    """Return the location of a contest's last final.

    Raises:
        InputError: No final was played, or its folder can't be read. Or the location is an invalid URL, or needs an
            account.
    """
    if not (finals := finals_beside(location)):
        raise InputError(f"{location}: no final was played; omit --final to see these records")
    return finals[-1]


def find_preliminary(location: str) -> str | None:
    """Return the location of the preliminary of a final, or None if these records aren't a final's or it had none.

    It is None for the records of a preliminary, too.

    Raises:
        RunError: The preliminary's records can't be read.
        InputError: The location is an invalid URL, or needs an account.
        OSError: The preliminary's folder can't be searched for another reason than permissions.
    """
    parent, contest = split_location(location)
    results, date = split_location(parent)
    if not date.startswith(_FINAL):
        return None
    preliminary = join_location(join_location(results, _PRELIMINARY + date.removeprefix(_FINAL)), contest)
    return preliminary if has_records(open_storage(preliminary)) else None


def records_with(location: str, bot: str) -> str:
    """Return the location of the records that have a bot: those of a final, or of its preliminary.

    Args:
        location: Folder or URL of a contest's records, a final's or others.
        bot: Name of the bot.

    Returns:
        The preliminary's location if there is a preliminary and these records don't have the bot, otherwise this
        location.

    Raises:
        RunError: The records can't be read, are of an earlier version, or are those of several tournaments.
        InputError: The location is an invalid URL, or needs an account.
        OSError: The file of the field can't be read, or a folder can't be searched.
    """
    field, preliminary = read_field(open_storage(location)), find_preliminary(location)
    if preliminary is None or (field is not None and bot in field.numbers):
        return location
    return preliminary
