"""Making a contest's report from its records, and writing it to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tournament.contests.contest import Contest
from tournament.errors import BadInput, RunFailed
from tournament.names import did_you_mean
from tournament.records.results import load
from tournament.reporting.findings import Findings, find
from tournament.reporting.layout import anchor_of
from tournament.reporting.page import render, render_each
from tournament.reporting.played_again import ConfigOf
from tournament.runner.seed import read_seed
from tournament.small_files import write_whole
from tournament.store.storage import open_storage

_MARK = b'<meta name="generator" content="tournament report">'


def make_page(
    location: str,
    *,
    with_games: bool = True,
    show_seed: bool = False,
    config_of: ConfigOf | None = None,
    bot: str | None = None,
    against: str | None = None,
) -> tuple[str, Findings]:
    """The page of the contest whose records are at a location, and its findings.

    `config_of` gives the settings of a contest, to play sessions again. With a `bot` it is the page for its author,
    which also tells where it loses to one opponent: `against` whom, by default the one it does worst against.

    Raises BadInput when there are none, RunFailed when they are damaged, or the seed to be shown is missing.
    """
    losing = [(bot, against)] if bot is not None else []
    contest, findings = _found(location, with_games, show_seed, config_of, losing)
    if bot is not None and bot not in findings.entrants:
        raise BadInput(f"--bot {bot}: no bot of these results is called so{did_you_mean(bot, findings.entrants)}")
    return render(contest, findings, author=bot), findings


def write_pages_of_all_bots(
    location: str,
    folder: Path,
    *,
    with_games: bool = True,
    show_seed: bool = False,
    config_of: ConfigOf | None = None,
) -> list[Path]:
    """Write a page for the author of each bot into a folder, made if it isn't there; raises as `write_report` does."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise BadInput(f"{folder} can't be made: {error.strerror}; name another folder with --all-bots") from None
    contest, findings = _found(location, with_games, show_seed, config_of, None)
    names = findings.entrants
    paths = [folder / f"{anchor_of(name, place)}.html" for place, name in enumerate(names)]
    for path, text in zip(paths, render_each(contest, findings, names)):
        write_report(path, text)
    return paths


def _found(
    location: str,
    with_games: bool,
    show_seed: bool,
    config_of: ConfigOf | None,
    losing: Sequence[tuple[str, str | None]] | None,
) -> tuple[Contest, Findings]:
    seed = None
    if show_seed:
        results = load(location)
        seed = read_seed(open_storage(results.location), results.field.settings.get("seed"))
    return find(location, with_games=with_games, seed=seed, config_of=config_of, losing=losing)


def check_replaceable(path: Path) -> None:
    """Raises BadInput where a report can't be written: at a folder, or over a file that is no report."""
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file: -o {path / 'report.html'}")
    if not path.parent.is_dir():
        raise BadInput(f"{path.parent} is no folder; make it first, or name another file with -o")
    try:
        with path.open("rb") as there:
            beginning = there.read(2_000)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror}; name another file with -o") from None
    if beginning and _MARK not in beginning:
        raise BadInput(f"{path} is there already and is no report; name another file with -o, or remove it")


def write_report(path: Path, text: str) -> None:
    """Write a report in one step. Raises BadInput as `check_replaceable` does, RunFailed when it can't be written."""
    check_replaceable(path)
    try:
        write_whole(path, text.encode())
    except OSError as error:
        raise RunFailed(f"{path} can't be written: {error.strerror}") from None
