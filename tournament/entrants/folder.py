"""Finding the bots in an entrants folder."""

from __future__ import annotations

import hashlib
import stat
from pathlib import Path

from tournament.entrants.bot import Entrant, Kind, Submission
from tournament.errors import BadInput, printable
from tournament.names import NAME_RULE, valid_name
from tournament.worker.processes import recipe
from tournament.worker.processes.archive import pack

KINDS: dict[str, Kind] = {
    ".c": "c",
    ".cpp": "cpp",
    ".cc": "cpp",
    ".cxx": "cpp",
    ".wasm": "wasm",
    ".py": "python",
}
MOST_BYTES = 16 << 20


def find_submissions(folder: Path) -> tuple[list[Submission], list[Entrant]]:
    """The bots of a folder by name, and those that can't even be read, each with its problem.

    Files of other kinds, hidden files and folders without a bot.toml are passed
    over. Raises BadInput when there is no such folder.
    """
    if not folder.is_dir():
        raise BadInput(
            f"the entrants folder {folder} does not exist: run in the folder of your tournament.toml, or name it"
            " with --config, or the bots' with --entrants"
        )
    submissions: dict[str, Submission] = {}
    refused: list[Entrant] = []
    for path in sorted(folder.iterdir()):
        kind = kind_of(path)
        if kind is None or path.name.startswith("."):
            continue
        try:
            _check_link(path, folder)
            submission = read_submission(path)
        except BadInput as problem:
            refused.append(Entrant(printable(path.name), kind, "", None, printable(str(problem))))
            continue
        twin = submissions.get(submission.name)
        if twin is not None:
            problem_text = f"{path.name} has the name of {twin.path.name}; rename one of them"
            refused.append(Entrant(path.name, kind, submission.sha256, None, problem_text))
            continue
        submissions[submission.name] = submission
    return sorted(submissions.values(), key=lambda s: s.name), refused


def check_among_others(path: Path, folder: Path) -> None:
    """Raise BadInput for a bot of an entrants folder that can't enter from there, whatever is in its file."""
    if folder.is_dir() and path.parent.resolve() == folder.resolve():
        for entrant in find_submissions(folder)[1]:
            if entrant.name == printable(path.name):
                raise BadInput(entrant.problem or "")


def _check_link(path: Path, folder: Path) -> None:
    """Raise BadInput for a link out of the entrants folder: strangers must not name files for us to read."""
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a circle
        inside = False
    if not inside:
        raise BadInput(f"{path.name}: it is a link to something outside of the entrants folder; put a copy there")


def kind_of(path: Path) -> Kind | None:
    """What kind of bot a file or folder is, None if it is none."""
    if path.is_dir():
        return "program" if (path / recipe.FILE_NAME).exists() else None
    return KINDS.get(path.suffix.lower())


def read_submission(path: Path) -> Submission:
    """One bot's file or folder. Raises BadInput when it can't be one, with the reason."""
    kind = kind_of(path)
    if kind is None:
        raise BadInput(f"{path}: bots are files ending in {', '.join(KINDS)}, and folders with a {recipe.FILE_NAME}")
    if kind == "program":
        if not valid_name(path.name):
            raise BadInput(f"{path.name}: {NAME_RULE}; rename the folder")
        archive = pack(path)
        return Submission(path.name, kind, path, archive, hashlib.sha256(archive).hexdigest())
    if not valid_name(path.stem):
        raise BadInput(f"{path.name}: {NAME_RULE}; rename the file")
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise BadInput(f"{path.name}: it is not a plain file")
        if found.st_size > MOST_BYTES:
            raise BadInput(f"{path.name}: larger than {MOST_BYTES >> 20} MiB")
        source = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path.name}: can't be read: {error.strerror}") from None
    return Submission(path.stem, kind, path, source, hashlib.sha256(source).hexdigest())
