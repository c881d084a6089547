"""Results in a folder of a file system."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import glob
import os
import stat
import time
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING

from tournament.errors import RunError
from tournament.store.storage import FOLDERS, LOCK_NAME, MAX_READ, STAGING, TooLarge, checked_name, staged_name

if TYPE_CHECKING:
    import pyarrow as pa

# Opening a pipe must not block: pipes are refused afterwards.
_OPEN_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
# Maximum bytes of the lock file.
_MAX_SIGN_BYTES = 1 << 10


def _not_a_file(path: str) -> str:
    return f"{path} is a link, a pipe or a device, not a file; remove it"


def _lock(file: IO[str]) -> None:
    """Lock a file. Retry briefly, because `may_be_locked` of another process holds the lock for a moment.

    Raises:
        BlockingIOError: Another process holds the lock.
        OSError: The file system has no locks.
    """
    for _ in range(9):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(0.01)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FolderStorage:
    """A folder on a file system. The writer holds an advisory lock, which the kernel releases with its process.

    An untrusted person might have made the folder. So names are checked, links inside it aren't followed, and only
    regular files are opened.
    """

    def __init__(self, location: str) -> None:
        self.location = os.path.abspath(location)
        self._lock: IO[str] | None = None

    def _path(self, name: str) -> str:
        """Return the path of a file inside the folder.

        Raises:
            RunError: The name is invalid, or its folder is a link or a file.
            OSError: A folder on the way can't be searched.
        """
        folder, _, file = checked_name(name).rpartition("/")
        return f"{self._folder(folder)}/{file}"

    def _folder(self, name: str) -> str:
        """Return the path of a folder inside this one, or of this one for "".

        Raises:
            RunError: The name is invalid, or something other than a folder has it.
            OSError: A folder on the way can't be searched.
        """
        path = self.location
        for step in checked_name(name).split("/") if name else ():
            path = f"{path}/{step}"
            with contextlib.suppress(FileNotFoundError):
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    raise RunError(f"{self.location}/{name} must be a folder (it is a link, or a file)")
        return path

    def _open(self, name: str, flags: int = os.O_RDONLY) -> int:
        """Return the descriptor of a regular file, which the caller closes.

        Raises:
            FileNotFoundError: There is no such file.
            RunError: The name is invalid, or the file can't be opened or isn't a regular file.
        """
        try:
            descriptor = os.open(self._path(name), flags | _OPEN_FILE, 0o666)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise RunError(f"{self.location}/{name} can't be opened: {error.strerror}") from None
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise RunError(_not_a_file(f"{self.location}/{name}"))
        return descriptor

    def check_writable(self) -> None:
        """Check that `prepare` and `acquire` would succeed now, without changing anything.

        Raises:
            RunError: The folder can't be written or is a link to a place outside its parent, or another process is the
                writer.
            OSError: The file system has no locks, or the lock file can't be read.
        """
        self._require_no_outside_link()
        folder = self.location
        while not os.path.lexists(folder):
            folder = os.path.dirname(folder)
        if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
            reason = os.strerror(errno.EACCES if os.path.isdir(folder) else errno.ENOTDIR)
            raise RunError(f"can't write to {self.location}: {reason}")
        if self.may_be_locked():
            raise RunError(self._being_written())

    def prepare(self) -> None:
        """Create the folder and the folders inside it.

        Raises:
            RunError: A folder can't be created, or the results are a link to a place outside their parent.
        """
        self._require_no_outside_link()
        try:
            os.makedirs(self.location, exist_ok=True)
            for folder in FOLDERS:
                self._make_folder(folder)
        except OSError as error:
            raise RunError(f"can't write to {self.location}: {error.strerror}") from None

    def _require_no_outside_link(self) -> None:
        """Check that the results aren't a link to a place outside their parent.

        Raises:
            RunError: They are such a link.
        """
        target, parent = os.path.realpath(self.location), os.path.realpath(os.path.dirname(self.location))
        if os.path.islink(self.location) and not target.startswith(f"{parent}/"):
            raise RunError(f"{self.location} is a link to {target}; name that folder in `results`, or remove the link")

    def _being_written(self) -> str:
        """Return the message that another process is the writer, with what its lock file says about it.

        Raises:
            FileNotFoundError: The lock file was removed.
            RunError: The lock file can't be opened, or has more than 1 KiB.
            OSError: The lock file can't be read.
        """
        path = f"{self.location}/{LOCK_NAME}"
        writer = (
            text.strip()
            if (text := self.read(LOCK_NAME, _MAX_SIGN_BYTES).decode(errors="replace"))
            else "another process"
        )
        elsewhere = " on " in writer and not writer.endswith(f" on {os.uname().nodename}")
        advice = f"; if that machine no longer exists, remove {path}" if elsewhere else ""
        return f"{self.location} is being written by {writer}; wait for it, or stop it{advice}"

    def _make_folder(self, name: str, mode: int = 0o777) -> None:
        """Create a folder inside this one, if it is missing. The folder that contains it must exist.

        Raises:
            OSError: The folder can't be created.
            RunError: The name is invalid, or something other than a folder has it.
        """
        with contextlib.suppress(FileExistsError):
            os.mkdir(self._folder(name), mode)

    def acquire(self) -> bool:
        """Become the only writer, and return False: the lock shows that no previous writer is running.

        Raises:
            RunError: Another process is the writer, or the lock file can't be opened or locked, isn't a regular file,
                or has another hard link.
            OSError: The lock file can't be written, for example because the disk is full.
        """
        path = f"{self.location}/{LOCK_NAME}"
        try:
            lock = open(self._open(LOCK_NAME, os.O_RDWR | os.O_CREAT), "r+", errors="replace")
        except OSError as error:
            raise RunError(f"can't write to {self.location}: {error.strerror}") from None
        if os.fstat(lock.fileno()).st_nlink > 1:
            lock.close()
            raise RunError(f"{path} has another hard link; delete that link")
        try:
            _lock(lock)
        except OSError:
            lock.close()
            raise RunError(self._being_written()) from None
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {os.uname().nodename}\n")
        lock.flush()
        self._lock = lock
        return False

    def release(self) -> None:
        """Let other processes become the writer. If this process isn't the writer, nothing happens."""
        if self._lock:
            self._lock.close()
            self._lock = None

    def still_held(self) -> bool:
        """Return whether this process is the writer.

        It is False before `acquire` and after `release`, and once the lock file was removed, replaced or can't be
        found.
        """
        if self._lock is None:
            return False
        try:
            return os.path.samestat(os.lstat(self._path(LOCK_NAME)), os.fstat(self._lock.fileno()))
        except OSError:
            return False

    def may_be_locked(self) -> bool:
        """Return whether a process is the writer: False if there is no lock file.

        Raises:
            RunError: The lock file can't be opened, or isn't a regular file.
            OSError: The file system has no locks.
        """
        with contextlib.suppress(FileNotFoundError), open(self._open(LOCK_NAME)) as sign:
            try:
                fcntl.flock(sign, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def everything(self, folder: str) -> dict[str, bool]:
        """Return whether each entry of a folder is a regular file, by name. Names of folders end with a slash.

        Returns:
            The entries in no particular order, with hidden ones, and with False for links, pipes and devices. {} if
            there is no such folder, or this user can't read it.

        Raises:
            RunError: The name is invalid, or something other than a folder has it.
            OSError: The folder can't be read for another reason, such as a failing disk.
        """
        try:
            with os.scandir(self._folder(folder)) as entries:
                return {
                    f"{entry.name}/" if entry.is_dir(follow_symlinks=False) else entry.name: entry.is_file(
                        follow_symlinks=False
                    )
                    for entry in entries
                }
        # The contents of another user's private folder are unknown.
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            return {}

    def folders(self) -> tuple[str, ...]:
        """Return the names of the folders in this one, and of links to folders, sorted and with hidden ones.

        Returns:
            The names; () if there is no such folder.

        Raises:
            RunError: The folder can't be read.
        """
        try:
            with os.scandir(self.location) as entries:
                return tuple(sorted(entry.name for entry in entries if entry.is_dir()))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as error:
            raise RunError(f"{self.location} can't be read: {error.strerror}") from None

    def list(self, folder: str) -> dict[str, int]:
        """Return the size in bytes of each file in a folder, by name.

        Returns:
            The sizes in no particular order, without hidden files, links, pipes and devices; {} if there is no such
            folder.

        Raises:
            RunError: The name is invalid, or the folder can't be read.
        """
        file_sizes = {}
        try:
            with os.scandir(self._folder(folder)) as entries:
                for entry in entries:
                    # The file was removed after it was listed.
                    with contextlib.suppress(FileNotFoundError):
                        if entry.is_file(follow_symlinks=False) and not entry.name.startswith("."):
                            file_sizes[entry.name] = entry.stat(follow_symlinks=False).st_size
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise RunError(f"{self.location}/{folder} can't be read: {error.strerror}") from None
        return file_sizes

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes, or None if there is no such file or it isn't a regular file.

        Raises:
            OSError: The file's folder can't be searched.
            RunError: The name is invalid, or its folder is a link or a file.
        """
        return self.sizes([name]).get(name)

    def sizes(self, names: Sequence[str]) -> dict[str, int]:
        """Return the sizes in bytes of those files that exist, by name, in the order of the names.

        Links, pipes and devices are omitted.

        Raises:
            OSError: A file's folder can't be searched.
            RunError: A name is invalid, or its folder is a link or a file.
        """
        file_sizes = {}
        for name in names:
            # The location itself might be a file.
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                status = os.lstat(self._path(name))
                if stat.S_ISREG(status.st_mode):
                    file_sizes[name] = status.st_size
        return file_sizes

    def read(self, name: str, max_bytes: int = MAX_READ) -> bytes:
        """Return the content of a file.

        Args:
            name: Name of the file.
            max_bytes: Maximum size of the file; 512 MiB by default.

        Raises:
            FileNotFoundError: There is no such file.
            TooLarge: The file has more than `max_bytes` bytes.
            RunError: The name is invalid, or the file can't be opened or isn't a regular file.
            OSError: The file can't be read.
        """
        with open(self._open(name), "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            content = stream.read(max_bytes + 1) if size <= max_bytes else b""
        if size > max_bytes or len(content) > max_bytes:
            raise TooLarge(f"{self.location}/{name} is too large: {max(size, len(content)):,} bytes")
        return content

    def tail(self, name: str, count: int, size: int | None = None) -> tuple[bytes, int]:
        """Return the last `count` bytes of a file, or all of a smaller file, and its size in bytes.

        Args:
            name: Name of the file.
            count: Number of bytes.
            size: Unused, because asking for the size costs nothing here.

        Raises:
            FileNotFoundError: There is no such file.
            RunError: The name is invalid, or the file can't be opened or isn't a regular file.
            OSError: The file can't be read.
        """
        descriptor = self._open(name)
        try:
            size = os.fstat(descriptor).st_size
            return os.pread(descriptor, count, max(0, size - count)), size
        finally:
            os.close(descriptor)

    def _write_aside(self, content: bytes, mode: int = 0o666, *, durable: bool = True) -> str:
        """Write a file with a new name in staging/, and return that name. If this fails, no file is left, if possible.

        Raises:
            OSError: The file can't be written.
            RunError: Something other than a folder has the name staging.
        """
        aside = staged_name("aside")
        try:
            with self._open_staged(aside, mode) as stream:
                stream.write(content)
                if durable:
                    self.finish_staged(stream)
        except BaseException:
            with contextlib.suppress(OSError):
                self.remove(aside)
            raise
        return aside

    def replace(self, name: str, content: bytes, *, private: bool = False, durable: bool = True) -> None:
        """Create or replace a file in one step, and create its folder if there is none.

        A folder that contains its folder must exist.

        Args:
            name: Name of the file.
            content: Content of the file.
            private: Whether only the owner can read the file, and the folder if it is created.
            durable: Whether the file must survive a loss of power.

        Raises:
            OSError: The file can't be written.
            RunError: The name is invalid, or something other than a folder has its folder's name.
        """
        if "/" in name:
            self._make_folder(name.rpartition("/")[0], 0o700 if private else 0o777)
        self.publish(self._write_aside(content, 0o600 if private else 0o666, durable=durable), name)
        if durable:
            self._sync_folder(name.rpartition("/")[0])

    def publish(self, staged: str, name: str) -> None:
        """Move a staged file to its name, although not durably: see `publish_all`.

        Raises:
            OSError: The file is missing or can't be moved.
            RunError: A name is invalid, or its folder is a link or a file.
        """
        os.replace(self._path(staged), self._path(name))

    def publish_all(self, moves: Sequence[tuple[str, str]]) -> None:
        """Publish those staged files that exist, in this order, so that the moves survive a loss of power.

        Each folder is synchronised once, at the end, because that takes longest.

        Args:
            moves: Pairs of the name in staging/ and the final name.

        Raises:
            OSError: A file can't be moved, or a folder can't be synchronised.
            RunError: A name is invalid, or its folder is a link or a file.
        """
        for staged, name in moves:
            with contextlib.suppress(FileNotFoundError):
                self.publish(staged, name)
        for folder in {name.rpartition("/")[0] for _, name in moves}:
            self._sync_folder(folder)

    def _sync_folder(self, folder: str) -> None:
        """Synchronise the list of a folder's files to disk.

        Raises:
            OSError: The folder can't be opened or synchronised.
            RunError: The name is invalid, or something other than a folder has it.
        """
        descriptor = os.open(self._folder(folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def remove(self, name: str) -> None:
        """Remove a file, if it exists.

        Raises:
            OSError: The file can't be removed.
            RunError: The name is invalid, or its folder is a link or a file.
        """
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def open_staged(self, name: str) -> IO[bytes]:
        """Create a file in staging/, and that folder if it is missing, and return the file as a stream.

        Raises:
            OSError: The file exists or can't be created.
            RunError: The name is invalid, or its folder is a link or a file.
        """
        return self._open_staged(name, 0o666)

    def _open_staged(self, name: str, mode: int) -> IO[bytes]:
        """Create a file in staging/ with these permissions, and return it as a stream.

        Raises:
            OSError: The file exists or can't be created.
            RunError: The name is invalid, or its folder is a link or a file.
        """
        self._make_folder(STAGING)
        return open(os.open(self._path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | _OPEN_FILE, mode), "wb")

    def finish_staged(self, stream: IO[bytes]) -> None:
        """Synchronise a staged file to disk, and close it.

        Raises:
            OSError: The file can't be written.
        """
        stream.flush()
        os.fsync(stream.fileno())
        stream.close()

    def open_data(self, name: str) -> pa.NativeFile:
        """Open a file for pyarrow.

        Raises:
            FileNotFoundError: There is no such file.
            RunError: The name is invalid, or the file can't be opened or isn't a regular file.
            OSError: A folder on the way can't be searched.
        """
        # Imported here, because reading the field doesn't need it.
        import pyarrow as pa

        # This checks that it is a regular file.
        os.close(self._open(name))
        # A path might not be UTF-8, so it is passed as bytes.
        return pa.OSFile(os.fsencode(self._path(name)), "r")  # type: ignore[arg-type]

    def archives(self) -> tuple[str, ...]:
        """Return the paths of archived records next to this folder by ascending number, so the newest is last.

        Links are omitted.
        """
        folders = self._archives()
        return tuple(folders[number] for number in sorted(folders) if not os.path.islink(folders[number]))

    def _archives(self) -> dict[int, str]:
        """Return the paths of archived records next to this folder by number, in arbitrary order and with links."""
        start = f"{self.location}-archive-"
        beside = glob.glob(f"{glob.escape(start)}*")
        return {int(path.removeprefix(start)): path for path in beside if path.removeprefix(start).isdecimal()}

    def new_archive(self) -> str:
        """Return the path for a new archive, which isn't created. Its number is one above the highest.

        Raises:
            RunError: This folder is a link, so it can't be moved.
        """
        if os.path.islink(self.location):
            raise RunError(f"{self.location} is a link: these records can't be moved; name another folder in `results`")
        return f"{self.location}-archive-{max(self._archives(), default=0) + 1}"

    def move(self, to: str) -> None:
        """Move the folder to another path.

        Raises:
            OSError: The folder can't be moved.
        """
        os.rename(self.location, to)
