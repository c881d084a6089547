"""The interface to results, which are in a folder or below a prefix of an object store.

Names are relative, with forward slashes. Records rely on one property: `publish` moves a finished file to its place in
one step, and `replace` does so with a small file.
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


# Maximum bytes of a file that is read as a whole.
MAX_READ = 1 << 29


class AlreadyExists(Exception):
    """Raised when an object to be created exists already, or an object to be replaced has another version."""


class TooLarge(RunError):
    """Raised when a file has more bytes than its reader accepts."""


class Storage(Protocol):
    """Files of one contest by name. Names that lead outside are refused with RunError.

    Methods that send requests to an object store also fail with InputError if its URL needs an account.

    Attributes:
        location: Folder or URL of the results.
    """

    location: str

    def check_writable(self) -> None:
        """Check that `prepare` and `acquire` would work, as far as that is known without changing anything.

        Raises:
            RunError: They would fail, for example because another process is the writer of a folder.
            OSError: The folder's file system has no locks, or the lock file can't be read.
        """

    def prepare(self) -> None:
        """Create the folders of the results.

        Raises:
            RunError: They can't be created.
        """

    def acquire(self) -> bool:
        """Become the only writer.

        Returns:
            Whether the previous writer might still be running. It is always False for a folder.

        Raises:
            RunError: Another process is the writer, or the lock can't be written.
            OSError: The folder's lock file can't be written, for example because the disk is full.
        """

    def release(self) -> None:
        """Let other processes become the writer."""

    def still_held(self) -> bool:
        """Return whether this process is still the writer: False before `acquire` and after `release`, too.

        Raises:
            RunError: A request to the object store fails.
        """

    def may_be_locked(self) -> bool:
        """Return whether a process is the writer. In an object store, it might also have ended without `release`.

        Raises:
            RunError: The lock can't be opened, or a request to the object store fails.
            OSError: The folder's file system has no locks.
        """

    def list(self, folder: str) -> dict[str, int]:
        """Return the size in bytes of each file directly inside a folder, by name, or {} if there is no such folder.

        Hidden files are omitted. The order is arbitrary.

        Raises:
            RunError: The name is invalid, or the folder can't be read.
        """

    def everything(self, folder: str) -> dict[str, bool]:
        """Return whether each entry directly inside a folder is a file, by name. Names of folders end with a slash.

        Hidden entries are included. The order is arbitrary. The result is {} if there is no such folder, or this user
        can't read it.

        Raises:
            RunError: The name is invalid, or a request to the object store fails.
            OSError: The folder can't be read for another reason than permissions.
        """

    def folders(self) -> tuple[str, ...]:
        """Return the names of the folders at this location, sorted, or () if there is no such location.

        Raises:
            RunError: The location can't be read.
        """

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes, or None if there is no such file.

        Raises:
            OSError: The file's folder can't be searched.
            RunError: The name is invalid, or a request to the object store fails.
        """

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return the sizes in bytes of those files that exist, by name, in the order of the names.

        Raises:
            OSError: A file's folder can't be searched.
            RunError: A name is invalid, or a request to the object store fails.
        """

    def read(self, name: str, max_bytes: int = MAX_READ) -> bytes:
        """Return the content of a file.

        Args:
            name: Name of the file.
            max_bytes: Maximum size of the file; 512 MiB by default.

        Raises:
            FileNotFoundError: There is no such file.
            TooLarge: The file has more than `max_bytes` bytes.
            RunError: The name is invalid, the file can't be opened, or a request to the object store fails.
            OSError: The file can't be read in the folder.
        """

    def tail(self, name: str, count: int, size: int | None = None) -> tuple[bytes, int]:
        """Return the last `count` bytes of a file, or all of a smaller file, and its size in bytes.

        Args:
            name: Name of the file.
            count: Number of bytes.
            size: Size of the file in bytes, which saves a request; None if it is unknown.

        Raises:
            FileNotFoundError: There is no such file.
            RunError: The name is invalid, the file can't be opened, or a request to the object store fails.
            OSError: The file can't be read in the folder.
        """

    def replace(self, name: str, content: bytes, *, private: bool = False, durable: bool = True) -> None:
        """Create or replace a file in one step.

        Args:
            name: Name of the file.
            content: Content of the file.
            private: Whether only the owner can read the file, if the storage can ensure that.
            durable: Whether the file must survive a loss of power.

        Raises:
            OSError: The file can't be written in the folder.
            RunError: The name is invalid, or a request to the object store fails.
        """

    def publish(self, staged: str, name: str) -> None:
        """Move a staged file to its name.

        Raises:
            OSError: The file can't be moved in the folder, or is missing.
            RunError: A name is invalid, or a request to the object store fails.
        """

    def publish_all(self, moves: Sequence[tuple[str, str]]) -> None:
        """Move those staged files that exist to their names, so that the moves survive a loss of power.

        Args:
            moves: Pairs of the name in staging/ and the final name.

        Raises:
            OSError: A file can't be moved in the folder.
            RunError: A name is invalid, or a request to the object store fails.
        """

    def remove(self, name: str) -> None:
        """Remove a file, if it exists.

        Raises:
            OSError: The file can't be removed from the folder.
            RunError: The name is invalid, or a request to the object store fails.
        """

    def open_staged(self, name: str) -> IO[bytes]:
        """Create a file in staging/, and return it as a stream, which the caller passes to `finish_staged` or closes.

        Raises:
            OSError: The file can't be created in the folder, for example because it exists.
            RunError: The name is invalid, or a request to the object store fails.
        """

    def finish_staged(self, stream: IO[bytes]) -> None:
        """Complete a staged file, so that it survives a loss of power, and close its stream.

        Raises:
            OSError: The file can't be written in the folder.
            RunError: A request to the object store fails.
        """

    def open_data(self, name: str) -> pa.NativeFile:
        """Open a file for pyarrow.

        Raises:
            FileNotFoundError: There is no such file.
            RunError: The name is invalid, the file can't be opened, or a request to the object store fails.
            OSError: A folder on the way can't be searched.
        """

    def archives(self) -> tuple[str, ...]:
        """Return the locations of archived records next to these, the newest last. An object store has none."""

    def new_archive(self) -> str:
        """Return the location for a new archive, which isn't created.

        Raises:
            RunError: These records can't be moved, because the folder is a link or they are in an object store.
        """

    def move(self, to: str) -> None:
        """Move all records to another location, such as that of `new_archive`.

        Raises:
            RunError: These records are in an object store.
            OSError: The folder can't be moved.
        """


STAGING = "staging"
FOLDERS = ("games", "sessions", "legs", "faults", STAGING)
# File that names the writer.
LOCK_NAME = "writer"
# File of the field.
FIELD_NAME = "contest.json"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|(s3|gs|az|file):", re.IGNORECASE)
# Names of staged files. Nothing else in staging/ is ever deleted.
OWN_STAGED = re.compile(
    r"(?:aside|driver)-[0-9a-f]{32}|([0-9]{10,19}-[0-9]{10}-[0-9a-f]{12})-[0-9a-f]{32}-(games|sessions)"
)
_NAME = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}/)*[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}")


def has_records(storage: Storage) -> bool:
    """Return whether there are records of a contest that this user can see, possibly of an earlier version.

    It is False for another user's private folder.

    Raises:
        RunError: A folder of the records can't be read, or a request to the object store fails.
        InputError: The URL needs an account.
        OSError: The folder can't be searched for another reason than permissions.
    """
    # The contents of another user's private folder are unknown.
    with contextlib.suppress(PermissionError):
        return storage.size(FIELD_NAME) is not None or bool(storage.list("sessions") or storage.list("ledger"))
    return False


def staged_name(name: str) -> str:
    """Return a new name in staging/ for a file of this name."""
    return f"{STAGING}/{name}-{uuid.uuid4().hex}"


def checked_name(name: str) -> str:
    """Return the name unchanged if it can't lead outside the results.

    Raises:
        RunError: The name could lead outside, has unusual characters, or a part of it has more than 200 characters.
    """
    if not _NAME.fullmatch(name):
        raise RunError(f"{name[:200]!r} isn't a valid name inside the results")
    return name


def is_url(location: str) -> bool:
    """Return whether a location is a URL, valid or not, rather than a path."""
    return _URL.match(location) is not None


def open_storage(location: str) -> Storage:
    """Return the storage at the path of a folder, or at a URL such as s3://bucket/prefix. Nothing is opened yet.

    A URL that starts with file:/// names a folder.

    Raises:
        InputError: The URL is invalid, or can't hold results.
    """
    # Imported here, because both modules import this one, and a folder needs no client of object stores.
    if is_url(location) and not location.startswith("file:///"):
        from tournament.store.object_storage import ObjectStorage

        return ObjectStorage(location)
    from tournament.store.folder_storage import FolderStorage

    return FolderStorage(location.removeprefix("file://"))


def join_location(location: str, name: str) -> str:
    """Return the location of `name` inside a location. Options of a URL, which start with `?`, stay at the end."""
    path, mark, options = location.partition("?") if is_url(location) else (location, "", "")
    return f"{path.rstrip('/')}/{name}{mark}{options}"


def split_location(location: str) -> tuple[str, str]:
    """Return the location that contains a location, and its name there. A path of one step is in "."."""
    path, mark, options = location.partition("?") if is_url(location) else (location, "", "")
    parent, _, name = path.rstrip("/").rpartition("/")
    return f"{parent or '.'}{mark}{options}", name


def explain_write_error(error: OSError, location: str) -> str:
    """Return the message for an error that occurred while results were written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
        return f"the disk of {location} is full; free some space and run again to continue"
    return f"can't write to {location}: {error.strerror or error}"
