"""Finding the records that a command reads."""

from __future__ import annotations

from pathlib import Path

from tournament.config import load_config, load_contests
from tournament.errors import InputError
from tournament.names import valid_contest_name
from tournament.records.results import NO_RESULTS, Results, contests_held, load
from tournament.store.ledger_reading import read_field
from tournament.store.storage import inside, open_storage


def recorded(contest: str | None, results: str | None, config: Path | None) -> list[str]:
    """Where the records of a contest are, or those of all. Raises InputError when there are none."""
    place = _results_of(contest, results, config)
    if contest is not None:
        locations = [_own_location(place, contest)]
    else:
        locations = [inside(place, name) for name in contests_held(place)] or [place]
    if held := [location for location in locations if _holds_records(location)]:
        return held
    raise InputError(f"{place} {NO_RESULTS}")


def location_of(contest: str | None, results: str | None, config: Path | None) -> str:
    """Where `load` finds the records of a contest, or of the only one that is there. Raises InputError."""
    place = _results_of(contest, results, config)
    return place if contest is None else _own_location(place, contest)


def _own_location(place: str, contest: str) -> str:
    """Where a contest's records are: below a folder of results, or that folder itself when it is the contest's own.

    Raises InputError when it is another contest's.
    """
    location = inside(place, contest)
    if _holds_records(location) or not _holds_records(place):
        return location
    field = read_field(open_storage(place))
    if field is not None and field.contest != contest:
        raise InputError(f"{place} holds results of {field.contest}, none of {contest}")
    return place


def load_records(contest: str | None, results: str | None, config: Path | None) -> Results:
    """The records of a contest, or of the only one that is there. Raises as `load` does."""
    return load(location_of(contest, results, config))


def _results_of(contest: str | None, results: str | None, config: Path | None) -> str:
    """The folder or URL of all contests' records. Raises InputError for an unknown contest."""
    known = load_contests(config)
    place = load_config(known.names[0], config, results=results).results
    if contest is None or contest in known.names:
        return place
    if not valid_contest_name(contest) or not _holds_records(inside(place, contest)):
        known.find(contest)
    return place


def _holds_records(location: str) -> bool:
    return bool(open_storage(location).list("ledger"))
