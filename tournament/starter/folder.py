"""Writing a folder to start a contest in: settings, the shipped bots, and a place for records."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from tournament.config import FILE_NAME, Config
from tournament.contests.contest import Contest
from tournament.entrants.folder import detect_kind
from tournament.errors import InputError, RunError
from tournament.names import did_you_mean
from tournament.starter.settings_file import settings_text

RESULTS_PAGE = "results/README.md"


def write_contest_folder(folder: Path, contests: Sequence[Contest], *, with_bots: bool = True) -> list[Path]:
    """Write the files of a contest into a new or existing folder, with shipped bots if wanted.

    Returns:
        The files, relative to the folder.

    Raises:
        InputError: A name is taken, so that nothing was written, or the folder can't be written.
        RunError: The shipped files are missing.
    """
    source = shipped()
    bots = {f"entrants/{contest.name}": source / "entrants" / contest.name for contest in contests}
    written = [Path(name) for name in (*bots, RESULTS_PAGE, FILE_NAME)]
    for taken in written:
        refuse_if_taken(folder, taken)
    try:
        for name, of_contest in bots.items():
            if with_bots and of_contest.is_dir():
                shutil.copytree(of_contest, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                (folder / name).mkdir(parents=True)
        (folder / RESULTS_PAGE).parent.mkdir(exist_ok=True)
        write_file(folder / RESULTS_PAGE, (source / RESULTS_PAGE).read_text(encoding="utf-8"))
        write_file(folder / FILE_NAME, settings_text(contests))  # last: a folder that has it is complete
    except shutil.Error as error:  # gathers the failures of a folder's files: source, target, reason
        raise InputError(f"{folder} can't be written: {error.args[0][0][2]}") from None
    except OSError as error:
        raise InputError(f"{folder} can't be written: {error.strerror}") from None
    return written


def shipped() -> Path:
    """Return the folder with the shipped bots, in an installed package or in the repository.

    Raises:
        RunError: There is none.
    """
    for place in (Path(__file__).parent / "shipped", Path(__file__).parents[2]):
        if (place / "entrants").is_dir() and (place / RESULTS_PAGE).is_file():
            return place
    raise RunError("the shipped bots are missing; install the package again")


def refuse_if_taken(folder: Path, name: Path) -> None:
    """Check that a file or folder can be made at a place.

    Raises:
        InputError: There is one of that name, or something that is no folder is in its way.
    """
    for above in (folder, *(folder / part for part in reversed(name.parents))):
        if os.path.lexists(above) and not above.is_dir():
            raise InputError(f"{above} is not a folder")
    if os.path.lexists(folder / name):
        raise InputError(f"{folder / name} is there already; nothing was written")


def write_file(path: Path, text: str) -> None:
    """Write a new file.

    Raises:
        OSError: It exists, or can't be written.
    """
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def find_bot(text: str, settings: Config) -> Path:
    """Return a bot by its path, or by its name among the entrants, the house's and the shipped bots.

    Raises:
        InputError: There is none.
        RunError: The shipped bots are missing.
    """
    if os.path.lexists(text):
        return Path(text)
    house = [settings.house] if settings.house else []
    folders = [settings.entrants, *house, shipped() / "entrants" / settings.played.rules]
    paths = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()) if detect_kind(path)]
    for path in paths:
        if text in (path.name, path.stem):
            return path
    names = sorted({path.stem for path in paths})
    hint = did_you_mean(text, names, ",") or f"; expected one of: {', '.join(names)}"
    raise InputError(f"{text}: not found among files, entrants and shipped bots{hint}")
