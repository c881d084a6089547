"""Finding the bots in an entrants folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from tournament.artifacts import bot_toml
from tournament.artifacts.archive import pack
from tournament.artifacts.bot import Entrant, Kind, Submission
from tournament.artifacts.compiler_command import LANGUAGES
from tournament.containment import our_error
from tournament.contests import data_files
from tournament.entrants.single_file import is_program, pack_program
from tournament.errors import InputError, printable
from tournament.names import NAME_RULE, valid_name
from tournament.store.field import FieldEntrant

KINDS: dict[str, Kind] = {".c": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp", ".wasm": "wasm", ".py": "python"}
MAX_BYTES = 16 << 20
# Maximum bytes of a C source, which is searched for names here.
MAX_C_BYTES = 4 << 20
MAX_ENTRIES = 20_000
_OUTSIDE = "it is a link to something outside the entrants folder; replace it by a copy"


# Returns the entrants of the last committed run. It is called only if names clash.
Recorded = Callable[[], Iterable[FieldEntrant]]


def find_submissions(folder: Path, recorded: Recorded = lambda: ()) -> tuple[list[Submission], list[Entrant]]:
    """Return the bots of a folder by name, and those that can't be read, each with its problem.

    If bots share a name, the recorded one plays. Otherwise a new file could displace another author's bot. If all are
    new, none plays until they are renamed. Files of other kinds, hidden files and folders without a bot.toml are
    omitted.

    Args:
        folder: The folder.
        recorded: Returns the entrants of the last run. Its exceptions pass through.

    Raises:
        InputError: There is no such folder, it can't be read, or it has more than 20,000 entries.
    """
    if not folder.is_dir():
        raise InputError(
            f"the entrants folder {folder} does not exist; create it, or run in the folder of your tournament.toml, or"
            " name that file with --config, or the bots' folder with --entrants"
        )
    by_name: dict[str, list[Submission]] = {}
    refused: list[Entrant] = []
    within = folder.resolve()
    for path in _entries(folder):
        submission = _read_entry(path, within)
        if submission is None:
            continue
        if isinstance(submission, Entrant):
            refused.append(submission)
            continue
        # Names that differ only in case are one name to some file systems, to which records might be copied.
        by_name.setdefault(submission.name.lower(), []).append(submission)
    clashes = [twins for twins in by_name.values() if len(twins) > 1]
    recorded_by_name = {entrant.name: entrant for entrant in recorded()} if clashes else {}
    for twins in clashes:
        twins.sort(key=lambda submission: _differs(submission, recorded_by_name.get(submission.name)))
        ranks = [_differs(submission, recorded_by_name.get(submission.name)) for submission in twins]
        first = twins[0] if ranks[0] < ranks[1] else None
        files = " and ".join(twin.path.name for twin in twins)
        by_name[twins[0].name.lower()] = [first] if first else []
        for one in twins[1:] if first else twins:
            if first:
                why = f"{one.path.name} has the name of {first.path.name}, which is in the records; rename one of them"
            else:
                why = f"{files} have the same name, so none of them plays; rename one of them"
            refused.append(Entrant(one.path.name, one.kind, one.sha256, None, why, is_nameless=first is None))
    playing = {one.name: one for twins in by_name.values() for one in twins}
    # A bot has the name of its file's stem, which can equal the full name of another file.
    refused = [replace(one, name=f"./{one.name}") if one.name in playing else one for one in refused]
    return sorted(playing.values(), key=lambda s: s.name), refused


def find_bots(
    folder: Path, house: Path | None, recorded: Recorded = lambda: ()
) -> tuple[list[Submission], list[Entrant], frozenset[str]]:
    """Return the bots of a folder and of the house's, those that can't even be read, and the names of the house's.

    Bots are sorted by name, and the refused ones have their problem. An entrant that has the name of a house bot is
    refused, whatever the case of its letters.

    Args:
        folder: Folder of the bots.
        house: Folder of the host's own bots; None if there is none.
        recorded: Returns the entrants of the last run. Its exceptions pass through.

    Raises:
        InputError: A folder is missing or can't be read, or a bot of the house can't be read.
    """
    submissions, refused = find_submissions(folder, recorded)
    if house is None:
        return submissions, refused, frozenset()
    own, broken = find_submissions(house)
    for one in broken:
        raise InputError(f"{house}: {one.name}: {one.problem}")
    names = {one.name.lower(): one.path.name for one in own}
    for twin in [one for one in submissions if one.name.lower() in names]:
        why = f"the house has {names[twin.name.lower()]}, a bot of this name; rename {twin.path.name}"
        refused.append(Entrant(f"./{twin.path.name}", twin.kind, twin.sha256, None, why, is_nameless=True))
        submissions.remove(twin)
    return sorted([*submissions, *own], key=lambda one: one.name), refused, frozenset(one.name for one in own)


def _read_entry(path: Path, within: Path) -> Submission | Entrant | None:
    """Return the bot at a path, an entrant with a problem if it can't be read, or None if it isn't a bot.

    Any failure concerns this bot only.
    """
    kind: Kind | None = None
    try:
        kind = detect_kind(path)
        if kind is None or path.name.startswith("."):
            return None
        _check_link(path, within)
        return read_submission(path, within)
    except InputError as problem:
        why = str(problem).removeprefix(f"{path.name}: ")
    except Exception as error:
        why = our_error(error, "can't be read")
    return Entrant(_escape_breaks(path.name), kind or "program", "", None, _escape_breaks(why))


def _differs(submission: Submission, recorded: FieldEntrant | None) -> tuple[bool, bool, bool]:
    """Return how a bot differs from the recorded one with its name, the most important difference first.

    That is whether none is recorded, then whether the kind differs, then the content.
    """
    if recorded is None:
        return True, True, True
    return False, submission.kind != recorded.kind, submission.sha256 != recorded.sha256


def other_files(folder: Path) -> list[str]:
    """Return the entries of a folder that aren't bots, by name, without READMEs and hidden files.

    Folders have the reason after their name.

    Raises:
        InputError: The folder can't be listed, or has more than 20,000 entries.
    """
    unrecognised = []
    for path in _entries(folder):
        if path.name.startswith((".", "__")) or path.name.upper().startswith("README"):
            continue
        if detect_kind(path) is None:
            unrecognised.append(f"{_escape_breaks(path.name)}{f' ({_folder_problem(path)})' if path.is_dir() else ''}")
    return unrecognised


def _folder_problem(folder: Path) -> str:
    """Return why a folder isn't a bot, as text."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        names = sorted(entry.name for _, entry in zip(range(100), entries) if Path(entry.name).suffix.lower() in KINDS)
        if names:
            file = _escape_breaks(names[0])
            return (
                f"a folder without {bot_toml.FILE_NAME}: a program needs one;"
                f" a single file, such as {file}, needs no folder"
            )
    return f"a folder without {bot_toml.FILE_NAME}"


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Return time of change, in nanoseconds, and size of each bot in a folder, by its file's name. A folder has size 0.

    Raises:
        InputError: The folder can't be listed.
    """
    by_name = {}
    for path in _entries(folder):
        if not path.name.startswith(".") and detect_kind(path) is not None:
            with contextlib.suppress(OSError):
                status = path.stat()
                by_name[_escape_breaks(path.name)] = (status.st_mtime_ns, 0 if path.is_dir() else status.st_size)
    return by_name


def _entries(folder: Path) -> list[Path]:
    """Return the entries of a folder, by name.

    Raises:
        InputError: It can't be listed, or has more than 20,000 entries.
    """
    try:
        with os.scandir(folder) as entries:
            paths = [Path(entry.path) for _, entry in zip(range(MAX_ENTRIES + 1), entries)]
    except OSError as error:
        raise InputError(f"the entrants folder {folder} can't be read: {error.strerror}") from None
    if len(paths) > MAX_ENTRIES:
        raise InputError(f"the entrants folder {folder} has more than {MAX_ENTRIES:,} files")
    return sorted(paths)


def _escape_breaks(text: str) -> str:
    """Return an untrusted text as one line, with escapes for characters that can't be shown."""
    return printable(text).replace("\n", "\\n").replace("\t", "\\t")


def check_entry(path: Path, folder: Path, recorded: Recorded) -> None:
    """Check that a bot can enter from its entrants folder, no matter what its file contains.

    A path elsewhere isn't checked.

    Args:
        path: Path of the bot.
        folder: The entrants folder.
        recorded: Returns the entrants of the last run. Its exceptions pass through.

    Raises:
        InputError: It can't be read, isn't a valid bot, or another bot has its name. Or the folder can't be listed.
    """
    if folder.is_dir() and path.parent.resolve() == folder.resolve():
        for entrant in find_submissions(folder, recorded)[1]:
            shown, problem = _escape_breaks(path.name), entrant.problem or ""
            if entrant.name.removeprefix("./") == shown:
                raise InputError(problem if shown in problem else f"{shown}: {problem}")


def _check_link(path: Path, within: Path) -> None:
    """Check that a path doesn't lead out of the entrants folder: untrusted people must not select other files.

    Raises:
        InputError: It is a link out of the folder, or to itself.
    """
    try:
        inside = path.resolve().is_relative_to(within)
    except (OSError, RuntimeError):
        raise InputError(f"{path.name}: it is a link to itself; replace it by a file") from None
    if not inside:
        raise InputError(f"{path.name}: {_OUTSIDE}")


def detect_kind(path: Path) -> Kind | None:
    """Return the kind of bot that a file or folder is, or None if it isn't a bot or doesn't exist."""
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(path.stat().st_mode):
            return "program" if _has_recipe(path) else None
    suffix = path.suffix.lower()
    return "python" if data_files.is_data(suffix) else KINDS.get(suffix)


def _has_recipe(folder: Path) -> bool:
    """Return whether a folder has a bot.toml, or might have one."""
    try:
        (folder / bot_toml.FILE_NAME).lstat()
    except PermissionError:
        # It might have one. Reading it will show the problem.
        return True
    except OSError:
        return False
    return True


def read_submission(path: Path, within: Path | None = None) -> Submission:
    """Return the bot of a file or folder.

    Args:
        path: Path of the bot.
        within: Resolved folder that must contain the bot; None for any.

    Raises:
        InputError: It isn't a bot, no bot can have its name, it can't be read or leads out of the folder, or it is too
            large: more than 16 MiB, or 4 MiB of C or C++.
    """
    kind = detect_kind(path)
    if kind is None:
        is_a = f"; this is {_folder_problem(path)}" if path.is_dir() else ""
        raise InputError(
            f"{path}: bots are files ending in {', '.join(KINDS)}, and folders with a {bot_toml.FILE_NAME}{is_a}"
        )
    if kind == "program":
        if not valid_name(path.name):
            raise InputError(f"{path.name}: {NAME_RULE}; rename the folder")
        archive = pack(path)
        return Submission(path.name, kind, path, archive, hashlib.sha256(archive).hexdigest())
    if not valid_name(path.stem):
        raise InputError(f"{path.name}: {NAME_RULE}; rename the file")
    try:
        source = _read_file(path, within)
    except OSError as error:
        raise InputError(f"{path.name}: can't be read: {error.strerror}") from None
    if data_files.is_data(suffix := path.suffix.lower()):
        source = data_files.as_python(path.name, suffix, source)
    elif is_program(suffix, source):
        kind, source = "program", pack_program(path.name, suffix, source)
    return Submission(path.stem, kind, path, source, hashlib.sha256(source).hexdigest())


def _read_file(path: Path, within: Path | None) -> bytes:
    """Return the content of a plain file.

    The opened file is checked, not its path. Opening never waits for a pipe or device.

    Raises:
        OSError: The file can't be opened.
        InputError: It isn't a plain file, is outside `within`, or has more than 16 MiB, or 4 MiB of C or C++.
    """
    # A link within the folder is resolved first, so that the opened path isn't a link.
    descriptor = os.open(path.resolve(), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{path.name}: it isn't a plain file")
        if within and not Path(os.readlink(f"/proc/self/fd/{descriptor}")).is_relative_to(within):
            # The path was changed after it was checked.
            raise InputError(f"{path.name}: {_OUTSIDE}")
        max_bytes = MAX_C_BYTES if KINDS.get(path.suffix.lower()) in LANGUAGES else MAX_BYTES
        source = file.read(max_bytes + 1) if status.st_size <= max_bytes else b""
    if max(status.st_size, len(source)) > max_bytes:
        raise InputError(f"{path.name}: larger than {max_bytes >> 20} MiB")
    return source
