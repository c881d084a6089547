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
    """Write settings, folders of bots and a page about records into a new or existing folder.

    Args:
        folder: The folder.
        contests: Contests in the settings, in this order. A folder of bots has the name of its contest.
        with_bots: Whether to write the shipped bots. Otherwise, and if a contest has none, its folder is empty.

    Returns:
        What was written, relative to the folder: the folders of bots in the order of the contests, then the page about
        records and the settings file.

    Raises:
        InputError: A name is taken, so that nothing was written, or the folder can't be written. In the latter case a
            part may have been written, but not the settings file.
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
    """Return the folder that has entrants/ with the shipped bots, in an installed package or in the repository.

    Raises:
        RunError: There is none, or it lacks the page about records.
    """
    for place in (Path(__file__).parent / "shipped", Path(__file__).parents[2]):
        if (place / "entrants").is_dir() and (place / RESULTS_PAGE).is_file():
            return place
    raise RunError("the shipped bots are missing; install the package again")


def refuse_if_taken(folder: Path, name: Path) -> None:
    """Check that a file or folder can be made at a place. Permissions aren't checked.

    Args:
        folder: The folder, which might not exist.
        name: Path of the new file or folder, relative to it.

    Raises:
        InputError: Something has that name, also a broken link, or something that is no folder is above it.
    """
    for above in (folder, *(folder / part for part in reversed(name.parents))):
        if os.path.lexists(above) and not above.is_dir():
            raise InputError(f"{above} is not a folder")
    if os.path.lexists(folder / name):
        raise InputError(f"{folder / name} is there already; nothing was written")


def write_file(path: Path, text: str) -> None:
    """Write a new file in UTF-8.

    Raises:
        OSError: It exists, its folder doesn't, or it can't be written.
    """
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


def find_bot(text: str, settings: Config) -> Path:
    """Return the path of a bot: the text itself if it exists, or a bot of that name among the known ones.

    Entrants come before the host's own bots, and these before the shipped ones. A path that exists might not be a bot.

    Args:
        text: A path, or the name of a bot with or without its suffix.
        settings: Settings of the contest, which have the folders of bots.

    Raises:
        InputError: There is none. The message has a similar name, or all names.
        RunError: The shipped bots are missing.
        OSError: A folder of bots can't be listed.
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
