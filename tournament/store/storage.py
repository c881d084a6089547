"""Where results are kept: a folder, or a prefix in an object store, behind the same few verbs.

Names are relative, with forward slashes. Two things matter to the ledger: a
file made by `create` appears whole or not at all and never replaces another,
and `publish` moves a finished file to where readers look in one step.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shutil
import uuid
from pathlib import Path
from typing import IO, Protocol, cast

from pyarrow import fs

from tournament.errors import BadInput, RunFailed


class AlreadyExists(Exception):
    """`create` found a file of that name."""


class Storage(Protocol):
    """The verbs. `list` gives the sizes in bytes of the files right inside a folder, {} when there is none."""

    location: str

    def prepare(self) -> None: ...
    def hold(self) -> None: ...
    def release(self) -> None: ...
    def still_held(self) -> bool: ...
    def list(self, folder: str) -> dict[str, int]: ...
    def read(self, name: str) -> bytes: ...
    def create(self, name: str, content: bytes) -> None: ...
    def replace(self, name: str, content: bytes, *, private: bool = False) -> None: ...
    def publish(self, staged: str, name: str) -> None: ...
    def remove(self, name: str) -> None: ...
    def remove_folder(self, folder: str) -> None: ...
    def open_staged(self, name: str) -> IO[bytes]: ...
    def finish_staged(self, stream: IO[bytes]) -> None: ...
    def data_path(self, name: str) -> tuple[fs.FileSystem, str]: ...


FOLDERS = ("games", "sessions", "ledger", "staging")


def open_storage(location: str) -> Storage:
    """The storage at a folder's path or at a URL such as s3://bucket/prefix. Raises BadInput for a bad URL."""
    if "://" in location and not location.startswith("file://"):
        return ObjectStorage(location)
    return FolderStorage(location.removeprefix("file://"))


def inside(location: str, name: str) -> str:
    """The location of `name` inside a location. A URL's options, from its ? on, stay at the end."""
    path, mark, options = location.partition("?") if "://" in location else (location, "", "")
    return f"{path.rstrip('/')}/{name}{mark}{options}"


class FolderStorage:
    """A folder on a file system. Whoever writes holds an advisory lock, which the kernel drops with its process."""

    def __init__(self, location: str) -> None:
        self.location = os.path.abspath(location)
        self._lock: IO[str] | None = None

    def _path(self, name: str) -> str:
        return f"{self.location}/{name}"

    def prepare(self) -> None:
        """Make the folders. Raises RunFailed when that isn't allowed."""
        try:
            for folder in FOLDERS:
                os.makedirs(self._path(folder), exist_ok=True)
        except OSError as error:
            raise RunFailed(f"can't write to {self.location}: {error.strerror}") from None

    def hold(self) -> None:
        """Become the only writer. Raises RunFailed while another process is."""
        path = self._path("ledger/writer")
        try:
            lock = open(path, "a+")
        except OSError as error:
            raise RunFailed(f"can't write to {self.location}: {error.strerror}") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.seek(0)
            who = lock.read().strip() or "another process"
            lock.close()
            raise RunFailed(f"{self.location} is being written by {who}; wait for it, or stop it") from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {os.uname().nodename}\n")
        lock.flush()
        self._lock = lock

    def release(self) -> None:
        if self._lock:
            self._lock.close()
            self._lock = None

    def still_held(self) -> bool:
        """False once the lock file was taken away or replaced under us."""
        if self._lock is None:
            return False
        try:
            there = os.stat(self._path("ledger/writer"))
        except OSError:
            return False
        mine = os.fstat(self._lock.fileno())
        return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)

    def list(self, folder: str) -> dict[str, int]:
        try:
            with os.scandir(self._path(folder)) as entries:
                return {entry.name: entry.stat().st_size for entry in entries if entry.is_file()}
        except FileNotFoundError:
            return {}

    def read(self, name: str) -> bytes:
        return Path(self._path(name)).read_bytes()

    def _write_aside(self, content: bytes, mode: int = 0o666) -> str:
        aside = self._path(f"staging/aside-{uuid.uuid4().hex}")
        try:
            with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(aside)
            raise
        return aside

    def create(self, name: str, content: bytes) -> None:
        """Make a new file, whole and on disk, or raise AlreadyExists."""
        aside = self._write_aside(content)
        try:
            os.link(aside, self._path(name))
        except FileExistsError:
            raise AlreadyExists(name) from None
        finally:
            os.unlink(aside)
        self._sync_folder(name)

    def replace(self, name: str, content: bytes, *, private: bool = False) -> None:
        """Make or replace a file in one step, and its folder where it is missing; a private one for its owner only."""
        os.makedirs(os.path.dirname(self._path(name)), 0o700 if private else 0o777, exist_ok=True)
        os.replace(self._write_aside(content, 0o600 if private else 0o666), self._path(name))
        self._sync_folder(name)

    def publish(self, staged: str, name: str) -> None:
        os.replace(self._path(staged), self._path(name))
        self._sync_folder(name)

    def _sync_folder(self, name: str) -> None:
        descriptor = os.open(os.path.dirname(self._path(name)), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def remove_folder(self, folder: str) -> None:
        shutil.rmtree(self._path(folder), ignore_errors=True)

    def open_staged(self, name: str) -> IO[bytes]:
        path = self._path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return open(path, "xb", buffering=1 << 20)

    def finish_staged(self, stream: IO[bytes]) -> None:
        """Close a staged file once it is on disk."""
        stream.flush()
        os.fsync(stream.fileno())
        stream.close()

    def data_path(self, name: str) -> tuple[fs.FileSystem, str]:
        return fs.LocalFileSystem(), self._path(name)


class ObjectStorage:
    """A prefix in an object store, through pyarrow.

    Such stores have no locks and no rename, and pyarrow no conditional put. The
    newest writer wins: it signs `ledger/writer`, which every writer reads again
    before it commits.
    """

    def __init__(self, location: str) -> None:
        self.location = location.rstrip("/")
        self._token: bytes | None = None
        try:
            self._fs, self._prefix = fs.FileSystem.from_uri(self.location)
        except (ValueError, OSError) as error:
            raise BadInput(f"{location} is not a place for results: {error}") from None
        if not self._prefix:
            raise BadInput(f"{location} is not a place for results: it names no bucket")

    def _path(self, name: str) -> str:
        return f"{self._prefix}/{name}"

    def prepare(self) -> None:
        try:
            self._fs.get_file_info(self._prefix)
        except OSError as error:
            raise RunFailed(f"can't reach {self.location}: {error}") from None

    def hold(self) -> None:
        self._token = f"process {os.getpid()} on {os.uname().nodename}, {uuid.uuid4().hex}\n".encode()
        try:
            self.replace("ledger/writer", self._token)
        except OSError as error:
            raise RunFailed(f"can't write to {self.location}: {error}") from None

    def release(self) -> None:
        self._token = None

    def still_held(self) -> bool:
        return self._token is not None and self.read("ledger/writer") == self._token

    def list(self, folder: str) -> dict[str, int]:
        selector = fs.FileSelector(self._path(folder), allow_not_found=True)
        found = self._fs.get_file_info(selector)
        return {item.base_name: item.size for item in found if item.type == fs.FileType.File}

    def read(self, name: str) -> bytes:
        with self._fs.open_input_stream(self._path(name)) as stream:
            return bytes(stream.read())

    def create(self, name: str, content: bytes) -> None:
        if self._fs.get_file_info(self._path(name)).type != fs.FileType.NotFound:
            raise AlreadyExists(name)
        self.replace(name, content)

    def replace(self, name: str, content: bytes, *, private: bool = False) -> None:
        # Who may read an object is the bucket's affair.
        # Leaving a `with` by an exception would publish a partial object; a put of ready bytes can't be partial.
        stream = self._fs.open_output_stream(self._path(name))
        stream.write(content)
        stream.close()

    def publish(self, staged: str, name: str) -> None:
        # Copying what isn't there fails with each store's own error; the ledger counts on this one.
        if self._fs.get_file_info(self._path(staged)).type == fs.FileType.NotFound:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), staged)
        self._fs.copy_file(self._path(staged), self._path(name))
        self.remove(staged)

    def remove(self, name: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._fs.delete_file(self._path(name))

    def remove_folder(self, folder: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            self._fs.delete_dir(self._path(folder))

    def open_staged(self, name: str) -> IO[bytes]:
        return cast(IO[bytes], self._fs.open_output_stream(self._path(name)))

    def finish_staged(self, stream: IO[bytes]) -> None:
        stream.close()

    def data_path(self, name: str) -> tuple[fs.FileSystem, str]:
        return self._fs, self._path(name)


def explain_write_error(error: OSError, location: str) -> str:
    """One line for an error met while writing results."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error):
        return f"the disk of {location} is full; free some space and run again to go on"
    return f"can't write to {location}: {error.strerror or error}"
