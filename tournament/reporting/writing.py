"""Making a contest's report from its records, and writing it to a file."""

from __future__ import annotations

from pathlib import Path

from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.reporting.findings import Findings, find
from tournament.reporting.layout import anchor_of
from tournament.reporting.page import render, render_each
from tournament.reporting.replays import ConfigOf
from tournament.small_files import write_whole
from tournament.store.seed_files import kept_seed
from tournament.store.storage import open_storage

_MARK = b'<meta name="generator" content="tournament report">'


def make_page(
    location: str, *, public: bool = False, config_of: ConfigOf | None = None, options: str = ""
) -> tuple[str, Findings]:
    """The page of the contest whose records are at a location, and its findings.

    A `public` one shows no card and no seed. `config_of` gives the settings of a contest, to play sessions again;
    `options` are what a command that the page prints needs, to find these records.
    Raises InputError when there are no records, RunError when they are damaged.
    """
    seed = None
    if not public:
        results = load(location)
        seed = kept_seed(open_storage(results.location), str(results.setup.settings.get("seed")))
    contest, findings = find(location, with_games=not public, seed=seed, config_of=config_of, losing=[])
    return render(contest, findings, options=options), findings


def write_author_pages(
    location: str, folder: Path, *, public: bool = False, config_of: ConfigOf | None = None, options: str = ""
) -> list[Path]:
    """Write a page for the author of each bot into a folder, made if it isn't there; raises as `write_report` does.

    It also shows where the bot loses to the opponent it does worst against, and never the seed.
    """
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} can't be made: {error.strerror}; name another folder with --author-pages") from None
    contest, findings = find(location, with_games=not public, config_of=config_of, losing=None)
    names = findings.entrants
    paths = [folder / f"{anchor_of(name, place)}.html" for place, name in enumerate(names)]
    for path, text in zip(paths, render_each(contest, findings, names, options=options)):
        write_report(path, text)
    return paths


def check_replaceable(path: Path) -> None:
    """Raises InputError where a report can't be written: at a folder, or over a file that is no report."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file: -o {path / 'report.html'}")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} is no folder; make it first, or name another file with -o")
    try:
        with path.open("rb") as there:
            beginning = there.read(2_000)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}; name another file with -o") from None
    if beginning and _MARK not in beginning:
        raise InputError(f"{path} is there already and is no report; name another file with -o, or remove it")


def write_report(path: Path, text: str) -> None:
    """Write a report in one step. Raises InputError as `check_replaceable` does, RunError when it can't be written."""
    check_replaceable(path)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise RunError(f"{path} can't be written: {error.strerror}") from None
