"""Finding the records that a command reads."""

from __future__ import annotations

from pathlib import Path

from tournament.cli.consoles import err
from tournament.config import load_config, load_contests
from tournament.errors import InputError
from tournament.names import valid_contest_name
from tournament.records.finals import finals_beside, last_final
from tournament.records.results import NO_RESULTS, Results, contests_held, load, locate
from tournament.store.reading import read_field
from tournament.store.storage import has_records, join_location, open_storage


def recorded(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> list[str]:
    """Where the records of a contest are, or those of all, or of their last finals. Raises InputError when there are
    none."""
    place = _results_of(contest, results, config)
    if contest is not None:
        locations = [_own_location(place, contest)]
    else:
        locations = [join_location(place, name) for name in contests_held(place)] or [place]
    if held := [location for location in locations if _holds_records(location)]:
        return [last_final(location) for location in held] if final else held
    raise InputError(f"{place} {NO_RESULTS}")


def location_of(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> str:
    """Where the records of a contest are, or of the only one that is there, or of its last final; it is said where a
    final was played and isn't asked for. Raises InputError."""
    place = _results_of(contest, results, config)
    location = locate(place if contest is None else _own_location(place, contest))
    if final:
        return last_final(location)
    if finals_beside(location):
        err.print("these are the records of while the contest was open; its final is shown by --final", soft_wrap=True)
    return location


def _own_location(place: str, contest: str) -> str:
    """Where a contest's records are: below a folder of results, or that folder itself when it is the contest's own.

    Raises InputError when it is another contest's.
    """
    location = join_location(place, contest)
    if _holds_records(location) or not _holds_records(place):
        return location
    field = read_field(open_storage(place))
    if field is not None and field.contest != contest:
        raise InputError(f"{place} has results of {field.contest}, not of {contest}")
    return place


def load_records(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> Results:
    """The records of a contest, or of the only one that is there, or of its final. Raises as `load` does."""
    return load(location_of(contest, results, config, final=final))


def _results_of(contest: str | None, results: str | None, config: Path | None) -> str:
    """The folder or URL of all contests' records. Raises InputError for an unknown contest."""
    known = load_contests(config, results)
    place = load_config(known.names[0], config, results=results).results
    if contest is None or contest in known.names:
        return place
    if not valid_contest_name(contest) or not _holds_records(join_location(place, contest)):
        known.find(contest)
    return place


def _holds_records(location: str) -> bool:
    return has_records(open_storage(location))
