"""Making a contest's report from its records, and writing it to a file."""

from __future__ import annotations

from pathlib import Path

from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.records.values import crosstable_values, rows_csv, standings_csv
from tournament.reporting.findings import Findings, find
from tournament.reporting.layout import make_anchor
from tournament.reporting.page import render
from tournament.reporting.replays import ReadConfig
from tournament.small_files import write_atomically
from tournament.store.seed_files import find_seed
from tournament.store.storage import open_storage

_MARK = b'<meta name="generator" content="tournament report">'


def make_page(
    location: str, *, public: bool = False, read_config: ReadConfig | None = None, options: str = ""
) -> tuple[str, Findings]:
    """Return the page of a contest as HTML, and what its records have.

    Args:
        location: Folder or URL of the records.
        public: Whether to omit games and the seed. Otherwise the page has the seed if it is stored with the records.
        read_config: Called with a contest's name; returns its settings, with which sessions are replayed. None for no
            replays.
        options: Options of the commands that the page prints, with which they find these records.

    Raises:
        InputError: There are no records, they change too fast, or the contest's rules aren't installed.
        RunError: The records are damaged or can't be read, or this machine can't load the rules.
        FileNotFoundError: A file of the seed was removed while it was read. Or the rules aren't installed, and a part
            was removed.
        OSError: A folder can't be searched, or a file of the records can't be read.
        ValueError: A recorded number that the viewer shows is infinite or NaN.
    """
    seed = None
    if not public:
        results = load(location)
        seed = find_seed(open_storage(results.location), str(results.setup.settings.get("seed")))
    contest, findings = find(location, with_games=not public, seed=seed, read_config=read_config)
    return render(contest, findings, options=options), findings


def write_folder(
    location: str, folder: Path, *, public: bool = False, read_config: ReadConfig | None = None, options: str = ""
) -> int:
    """Write a page for the author of each bot, and the leaderboard and the crosstable as CSV.

    A page has only the secrets of its bot, and never the seed. The folder is created if it doesn't exist. Reports and
    both CSV files that are there are replaced.

    Args:
        location: Folder or URL of the records.
        folder: Folder to write into.
        public: Whether to omit games.
        read_config: Called with a contest's name; returns its settings, with which sessions are replayed. None for no
            replays.
        options: Options of the commands that the pages print.

    Returns:
        The number of pages, without the CSV files.

    Raises:
        InputError: There are no records, they change too fast, the contest's rules aren't installed, the folder can't
            be created, or something else has the name of a file.
        RunError: The records are damaged or can't be read, this machine can't load the rules, or a file can't be
            written.
        FileNotFoundError: The rules aren't installed, and a part was removed while the records were read.
        OSError: A folder can't be searched, or a file of the records can't be read.
        ValueError: A recorded number that the viewer shows is infinite or NaN.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} can't be created: {error.strerror}; name another folder with --folder") from None
    contest, findings = find(location, with_games=not public, read_config=read_config)
    for index, name in enumerate(findings.entrants):
        page = render(contest, findings, author=name, options=options)
        write_report(folder / f"{make_anchor(name, index)}.html", page)
    _write(folder / "leaderboard.csv", standings_csv(findings.ranking.entrants, {}))
    _write(folder / "crosstable.csv", rows_csv(crosstable_values(findings.ranking)))
    return len(findings.entrants)


def check_replaceable(path: Path) -> None:
    """Check that a report can be written to a path: there is nothing, an empty file or another report.

    Raises:
        InputError: There is a folder or another file, the file can't be read, or its folder doesn't exist.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file: -o {path / 'report.html'}")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} isn't a folder; create it, or name another file with -o")
    try:
        with path.open("rb") as file:
            start = file.read(2_000)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}; name another file with -o") from None
    if start and _MARK not in start:
        raise InputError(f"{path} exists and isn't a report; name another file with -o, or remove it")


def write_report(path: Path, text: str) -> None:
    """Write a report in one step.

    Raises:
        InputError: Something else has the name of the file, the file can't be read, or its folder doesn't exist.
        RunError: The report can't be written.
    """
    check_replaceable(path)
    _write(path, text)


def _write(path: Path, text: str) -> None:
    """Write a text to a file in one step. It replaces any file with this path.

    Raises:
        RunError: The file can't be written.
    """
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None
