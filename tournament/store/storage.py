"""Where results are kept: a folder, or a prefix in an object store, behind one interface.

Names are relative, with forward slashes. Records rely on one thing: `publish` moves a finished file to where readers
look in one step, and so does `replace` with a small one.
"""

from __future__ import annotations

import contextlib
import errno
import re
import uuid
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Protocol

from tournament.errors import RunError

if TYPE_CHECKING:
    import pyarrow as pa


# Bytes of the largest file that is read as a whole.
MOST_READ = 1 << 29


class AlreadyExists(Exception):
    """Raised when an object that was to be created, or replaced, is there, or another one."""


class TooLarge(RunError):
    """A file has more bytes than its reader takes."""


class Storage(Protocol):
    """Files by name. Names that lead outside raise RunError.

    `acquire` makes this process the only writer, and returns True when a former one may still wake up; `may_be_locked`
    tells whether any process is the writer, or, in an object store, was and didn't end by itself. `archives` are the
    places of archived records beside, the newest last; `move` moves everything to another place, and raises RunError
    where nothing can be moved.
    `list` returns the sizes in bytes of the files right inside a folder, {} if there is none; `sizes` those of several
    files, without those that aren't there. `everything` right inside a folder has names of any kind, those of folders
    with a slash at the end, and whether each is a file. `folders` are the names of folders right here. `publish` moves
    a staged file to its name, `publish_all` several, those that are staged, which then stay there also after a loss of
    power, as does what `replace` puts there, if it is to be `durable`. `read`, `tail` and `open_data` raise
    FileNotFoundError, `read` also TooLarge for more than `most` bytes. `tail` returns the last `count` bytes, and the
    size, which saves a request if it is known.
    `check_writable` raises RunError where `prepare` or `hold` would, as far as can be known without changing anything.
    """

    location: str

    def check_writable(self) -> None: ...
    def prepare(self) -> None: ...
    def acquire(self) -> bool: ...
    def release(self) -> None: ...
    def still_held(self) -> bool: ...
    def may_be_locked(self) -> bool: ...
    def list(self, folder: str) -> dict[str, int]: ...
    def everything(self, folder: str) -> dict[str, bool]: ...
    def folders(self) -> tuple[str, ...]: ...
    def size(self, name: str) -> int | None: ...
    def sizes(self, names: Sequence[str]) -> dict[str, int]: ...
    def read(self, name: str, most: int = MOST_READ) -> bytes: ...
    def tail(self, name: str, count: int, size: int | None = None) -> tuple[bytes, int]: ...
    def replace(self, name: str, content: bytes, *, private: bool = False, durable: bool = True) -> None: ...
    def publish(self, staged: str, name: str) -> None: ...
    def publish_all(self, moves: Sequence[tuple[str, str]]) -> None: ...
    def remove(self, name: str) -> None: ...
    def open_staged(self, name: str) -> IO[bytes]: ...
    def finish_staged(self, stream: IO[bytes]) -> None: ...
    def open_data(self, name: str) -> pa.NativeFile: ...
    def archives(self) -> tuple[str, ...]: ...
    def new_archive(self) -> str: ...
    def move(self, to: str) -> None: ...


STAGING = "staging"
FOLDERS = ("games", "sessions", "legs", "faults", STAGING)
LOCK_NAME = "writer"  # who writes
FIELD_NAME = "contest.json"  # what is played
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|(s3|gs|az|file):", re.IGNORECASE)
# What this package stages: nothing else is ever deleted there.
OWN_STAGED = re.compile(
    r"(?:aside|driver)-[0-9a-f]{32}|([0-9]{10,19}-[0-9]{10}-[0-9a-f]{12})-[0-9a-f]{32}-(games|sessions)"
)
_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}/)*[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}")


def has_records(storage: Storage) -> bool:
    """Return whether there are records of a contest, also of an earlier version."""
    with contextlib.suppress(PermissionError):  # Nothing is known of a folder that is somebody else's secret.
        return storage.size(FIELD_NAME) is not None or bool(storage.list("sessions") or storage.list("ledger"))
    return False


def staged_name(name: str) -> str:
    """Where a file of this name may wait alone; one of a part ends in its table."""
    return f"{STAGING}/{name}-{uuid.uuid4().hex}"


def checked_name(name: str) -> str:
    """The name, if it can't lead outside. Raises RunError for any other."""
    if not _NAME.fullmatch(name):
        raise RunError(f"{name[:200]!r} is not a name of anything inside the results")
    return name


def is_url(location: str) -> bool:
    """Whether a location is written as a URL, right or wrong, and so no folder's path."""
    return _URL.match(location) is not None


def open_storage(location: str) -> Storage:
    """The storage at a folder's path or at a URL such as s3://bucket/prefix. Raises InputError for a bad URL."""
    # Imported here: both import this module, and a folder needs no client of object stores.
    if is_url(location) and not location.startswith("file:///"):
        from tournament.store.object_storage import ObjectStorage

        return ObjectStorage(location)
    from tournament.store.folder_storage import FolderStorage

    return FolderStorage(location.removeprefix("file://"))


def join_location(location: str, name: str) -> str:
    """The location of `name` inside a location. A URL's options, from its ? on, stay at the end."""
    path, mark, options = location.partition("?") if is_url(location) else (location, "", "")
    return f"{path.rstrip('/')}/{name}{mark}{options}"


def folder_of(location: str) -> tuple[str, str]:
    """The location that a location is in, and its name there."""
    path, mark, options = location.partition("?") if is_url(location) else (location, "", "")
    above, _, name = path.rstrip("/").rpartition("/")
    return f"{above or '.'}{mark}{options}", name


def explain_write_error(error: OSError, location: str) -> str:
    """One line for an error met while writing results."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
        return f"the disk of {location} is full; free some space and run again to continue"
    return f"can't write to {location}: {error.strerror or error}"
