"""Files kept between runs on a machine, each with a checksum: a damaged one counts as missing."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pwd
import shlex
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tournament.errors import RunError
from tournament.small_files import write_atomically

_PROBE_BYTES = 4 << 20  # bytes: a compiler leaves less than it would write next
_SEAL_BYTES = hashlib.sha256().digest_size


# Environment variable with the path of a file, to which the folder and name of each entry are added when it is stored.
# The owner of the cache can then remove these entries.
LISTED_IN = "TOURNAMENT_CACHE_LISTED_IN"
_NAME_ANOTHER = "name a folder of yours in TOURNAMENT_CACHE"


def cache_folder() -> Path:
    """Return the folder of compiled bots, the compiler's libraries and programs' folders. Its files are executed.

    The folder might not exist. TOURNAMENT_CACHE names it, otherwise it is in XDG_CACHE_HOME or ~/.cache.

    Raises:
        RunError: No home is known, or others than the user and root can write to the folder or an entry of it.
        OSError: The folder can't be read for another reason than permissions.
    """
    if named := os.environ.get("TOURNAMENT_CACHE"):
        root = Path(named)
    else:
        try:
            root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tournament"
        except RuntimeError:
            raise RunError("this user has no home folder for the cache; name one in TOURNAMENT_CACHE") from None
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError):  # reported when it is used
        _check(root, os.stat(root))
        for entry in os.scandir(root):
            _check(Path(entry.path), entry.stat())
    return root


def _check(path: Path, state: os.stat_result) -> None:
    """Check that only this user can have written at a path.

    Raises:
        RunError: It belongs to a user other than this one and root, or its group or others can write to it.
    """
    if state.st_uid not in (os.geteuid(), 0):
        whose = f"user {state.st_uid}"
        with contextlib.suppress(KeyError):
            whose = pwd.getpwuid(state.st_uid).pw_name
        raise RunError(f"the cache {path} belongs to {whose}, who could change bots; {_NAME_ANOTHER}")
    if state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise RunError(
            f"others can write to the cache {path}, and so change bots;"
            f" remove it, or, if no one did: chmod -R go-w {shlex.quote(str(path))}"
        )


def make_folder(folder: Path) -> None:
    """Make a folder of the cache and those above it, to which others can't write whatever the user's mask is.

    Folders that exist stay as they are.

    Raises:
        OSError: The folder can't be made.
    """
    for missing in reversed([above for above in (folder, *folder.parents) if not above.exists()]):
        missing.mkdir(mode=0o755, exist_ok=True)
        if missing.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            missing.chmod(0o755)


def read_cached(path: Path) -> bytes | None:
    """Return the content stored at a path, or None if there is none or it is damaged.

    Raises:
        RunError: It can't be read, or others can have written it.
    """
    try:
        with path.open("rb") as file:
            _check(path, os.fstat(file.fileno()))
            sealed = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunError(f"can't read the cache {path}: {error.strerror}; {_NAME_ANOTHER}") from None
    seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    return content if seal == _seal(path, content) else None


def write_cached(path: Path, content: bytes) -> None:
    """Write a content with its checksum to a path, completely or not at all, even when power fails.

    Missing folders are made, and the entry is listed as LISTED_IN says.

    Raises:
        RunError: It can't be written or listed.
    """
    with cache_trouble(path.parent):
        make_folder(path.parent)
        list_entry(path)
        write_atomically(path, _seal(path, content) + content, 0o600)


def list_entry(path: Path) -> None:
    """Add a file or folder of the cache to the list that LISTED_IN names, if any.

    Raises:
        OSError: The list can't be written.
    """
    if listed_in := os.environ.get(LISTED_IN):
        with open(listed_in, "a") as listed:
            listed.write(f"{path.parent.name}/{path.name}\n")


def get_or_make(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the content stored at a path, after making and storing it if there is none or it is damaged.

    Raises:
        RunError: The cache can't be read or written, or others can have written the file.
        Exception: `make` raises it. Nothing is stored then.
    """
    content = read_cached(path)
    if content is None:
        content = make()
        write_cached(path, content)
    return content


@contextlib.contextmanager
def cache_trouble(folder: Path) -> Iterator[None]:
    """Turn OSError into RunError: the machine failed to write its cache, and no bot is at fault.

    Raises:
        RunError: There was an OSError within.
    """
    try:
        yield
    except OSError as error:
        hint = f"; {_NAME_ANOTHER}" if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else ""
        raise RunError(explain_failed_write(error, f"the cache {folder}") + hint) from None


def require_room(folder: Path, label: str, hint: str = "") -> None:
    """Check that a file of 4 MiB can be written to a folder. Call it when a program failed without saying why.

    Args:
        folder: Folder of the cache, or for temporary files.
        label: The folder's name in messages.
        hint: What else the user can do, with a semicolon before it; "" for nothing.

    Raises:
        RunError: The file can't be written.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_PROBE_BYTES))
            file.flush()
    except OSError as error:
        raise RunError(explain_failed_write(error, label) + hint) from None


def explain_failed_write(error: OSError, label: str) -> str:
    """Return a line with the reason why this machine can't write to a place of this name."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {label} is full; free some space and run again"
    return f"can't write to {label}: {error.strerror or error}"


def _seal(path: Path, content: bytes) -> bytes:
    """Return the sha256 of a path's name and a content, so that a file that moved to another name doesn't count."""
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()
