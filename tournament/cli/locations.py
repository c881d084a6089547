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
    """Return the locations of one contest's or all contests' records, or of their last finals.

    Args:
        contest: Name of the contest. None for all that have records, sorted by name.
        results: Folder or URL of the records. None for that of the settings.
        config: Path of the settings file. None for tournament.toml of the current folder or above the results.
        final: Whether to return the last final of each.

    Raises:
        InputError: There are no records or no final, the contest is unknown, or the folder has another one's records.
            The same is raised if a setting is wrong, or the URL is invalid or needs an account.
        RunError: Records can't be read, or the machine is at fault, such as a cache that can't be used.
        OSError: A folder of the records can't be searched, or the file of the field can't be read.
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
    """Return the location of a contest's records, or of its last final.

    If there is a final that wasn't requested, a message on standard error points to it.

    Args:
        contest: Name of the contest. None for the only one that has records.
        results: Folder or URL of the records. None for that of the settings.
        config: Path of the settings file. None for tournament.toml of the current folder or above the results.
        final: Whether to return the last final.

    Raises:
        InputError: There are no such records or no final, those of several contests, or of another one. The same is
            raised if the contest is unknown, a setting is wrong, or the URL is invalid or needs an account.
        RunError: Records can't be read, or the machine is at fault, such as a cache that can't be used.
        OSError: A folder of the records can't be searched, or the file of the field can't be read.
    """
    results_location = _results_location(contest, results, config)
    location = locate(results_location if contest is None else _own_location(results_location, contest))
    if final:
        return last_final(location)
    if finals_beside(location):
        err.print("these are the records of while the contest was open; its final is shown by --final", soft_wrap=True)
    return location


def _own_location(results_location: str, contest: str) -> str:
    """Return the location of a contest's records: below the results, or the results themselves.

    It is the latter only if they have records, and the place below has none. There might be none at either.

    Raises:
        InputError: The results are the records of another contest, or the URL is invalid or needs an account.
        RunError: Records can't be read.
        OSError: The file of the field can't be read.
    """
    location = join_location(results_location, contest)
    if _holds_records(location) or not _holds_records(results_location):
        return location
    field = read_field(open_storage(results_location))
    if field is not None and field.contest != contest:
        raise InputError(f"{results_location} has results of {field.contest}, not of {contest}")
    return results_location


def load_records(contest: str | None, results: str | None, config: Path | None, *, final: bool = False) -> Results:
    """Load the records of a contest or of its last final. The parameters are those of `find_location`.

    Raises:
        InputError: There are no such records or no final, those of several contests, or of another one. The same is
            raised if the contest is unknown, a setting is wrong, the URL is invalid, or rules are missing and needed.
        RunError: Records can't be read or are of an earlier version, or the machine is at fault, such as a cache that
            can't be used.
        FileNotFoundError: A part was removed while the records were read.
        OSError: A folder of the records can't be searched, or the file of the field can't be read.
    """
    return load(find_location(contest, results, config, final=final))


def _results_location(contest: str | None, results: str | None, config: Path | None) -> str:
    """Return the folder or URL of all contests' records, by the option or the settings.

    Raises:
        InputError: The contest is unknown and has no records, or the settings are wrong.
        RunError: Records can't be read, or the machine is at fault, such as a cache that can't be used.
        OSError: The folder of the records can't be searched.
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
        OSError: The folder can't be searched for another reason than permissions.
    """
    return has_records(open_storage(location))
