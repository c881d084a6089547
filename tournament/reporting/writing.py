"""A contest's report made from its records, and put where it is wanted."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tournament.errors import BadInput, RunFailed
from tournament.reporting.findings import Findings, find
from tournament.reporting.page import render
from tournament.runner.seed import read_seed
from tournament.standings.results import load
from tournament.store.storage import open_storage

_MARK = b'<meta name="generator" content="tournament report">'


def make_page(
    location: str, *, with_games: bool = True, show_seed: bool = False, live: bool = False
) -> tuple[str, Findings]:
    """The page of the contest whose records are at a location, as text, and what it shows; a live one asks for news.

    Raises BadInput when there are none, RunFailed when they are damaged, or the seed to be shown is missing.
    """
    seed = None
    if show_seed:
        results = load(location)
        seed = read_seed(open_storage(results.location), results.field.settings.get("seed"))
    contest, findings = find(location, with_games=with_games, seed=seed)
    return render(contest, findings, live), findings


def check_replaceable(path: Path) -> None:
    """Raises BadInput where a report can't go: onto a folder, or in place of a file that is no report."""
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
    """Put a report where it is wanted, in one step. Raises BadInput as `check_replaceable` does, RunFailed else."""
    check_replaceable(path)
    aside = None
    try:
        descriptor, aside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        with open(descriptor, "w", encoding="utf-8") as stream:
            stream.write(text)
            os.fchmod(stream.fileno(), 0o666 & ~_umask())
        os.replace(aside, path)
    except OSError as error:
        if aside:
            Path(aside).unlink(missing_ok=True)
        raise RunFailed(f"{path} can't be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
