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
    """Return the places of one contest's or all contests' records, or of their last finals.

    Raises:
        InputError: There are none, or the contest is unknown.
        RunError: Records can't be read.
    """
    results_location = _results_location(contest, results, config)
    if contest is not None:
        locations = [_own_location(results_location, contest)]
    else:
        locations = [join_location(results_location, name) for name in contests_held(results_location)] or [
            results_location
        ]
    if held := [location for location in locations if _holds_records(location)]:
        return [last_final(location) for location in held] if final else held
    raise InputError(f"{results_location} {NO_RESULTS}")


def find_location(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> str:
    """Return the place of a contest's records, of the only contest's there, or of its last final.

    If there is a final that wasn't requested, a message points to it.

    Raises:
        InputError: There are no such records, or those of several contests.
        RunError: Records can't be read.
    """
    results_location = _results_location(contest, results, config)
    location = locate(results_location if contest is None else _own_location(results_location, contest))
    if final:
        return last_final(location)
    if finals_beside(location):
        err.print("these are the records of while the contest was open; its final is shown by --final", soft_wrap=True)
    return location


def _own_location(results_location: str, contest: str) -> str:
    """Return the place of a contest's records, below the folder of results or that folder itself.

    Raises:
        InputError: That folder has the records of another contest.
        RunError: Records can't be read.
    """
    location = join_location(results_location, contest)
    if _holds_records(location) or not _holds_records(results_location):
        return location
    field = read_field(open_storage(results_location))
    if field is not None and field.contest != contest:
        raise InputError(f"{results_location} has results of {field.contest}, not of {contest}")
    return results_location


def load_records(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> Results:
    """Load the records of a contest, of the only one there, or of its final, from `find_location`.

    Raises:
        InputError: There are no such records, or those of several contests.
        RunError: Records can't be read.
    """
    return load(find_location(contest, results, config, final=final))


def _results_location(contest: str | None, results: str | None, config: Path | None) -> str:
    """Return the folder or URL of all contests' records.

    Raises:
        InputError: The contest is unknown and has no records, or the settings are wrong.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    defined = load_contests(config, results)
    location = load_config(defined.names[0], config, results=results).results
    if contest is None or contest in defined.names:
        return location
    if not valid_contest_name(contest) or not _holds_records(join_location(location, contest)):
        defined.find(contest)
    return location


def _holds_records(location: str) -> bool:
    """Return whether a folder or URL has records of a contest that this user can see.

    Raises:
        InputError: The URL is invalid, or needs an account.
        RunError: A folder of the records can't be read, or a request to the object store fails.
    """
    return has_records(open_storage(location))
