"""Temporary folders in which untrusted programs work. They are removed with everything in them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from tournament.cache import make_folder

MAX_FILES = 100_000
_MAX_REMOVALS = 30  # attempts, a tenth of a second apart

# Prefix of this project's folders. Unlocked ones are removed.
_PREFIX = ".tournament-scratch-"


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Provide a new folder that only this user can reach. It is removed at the end of the block.

    The folder is locked. If the tournament is killed, the lock is lost, and the next one that makes a folder there
    removes it. What can't be removed within some three seconds stays, without an error.

    Args:
        parent: Existing folder in which it is made. None for that of temporary files.

    Yields:
        The folder.

    Raises:
        OSError: It can't be made, for example because the parent is missing or the disk is full.
    """
    sweep(parent or Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        if (lock := _lock(folder)) is not None:
            break
    try:
        yield folder
    finally:
        remove(folder)
        for _ in range(_MAX_REMOVALS):  # processes that were just killed might still write
            if not folder.exists():
                break
            time.sleep(0.1)
            remove(folder)
        os.close(lock)


@contextlib.contextmanager
def alone_on_this_machine(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for this folder of the cache. Make the folder if it is missing.

    The wait has no limit. Other threads of this process are kept out, too.

    Raises:
        OSError: The folder can't be made or opened.
    """
    make_folder(folder)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """Return a descriptor that keeps the folder locked until it is closed.

    None means that another process has locked or removed the folder, or that it can't be opened or is a link.
    """
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), os.lstat(folder)):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def sweep_temporary() -> None:
    """Remove folders of killed tournaments from the places of temporary files. Call it before measuring free space."""
    if place := os.environ.get("TMPDIR"):
        sweep(Path(place))  # Python takes another folder while this one is full
    sweep(Path(tempfile.gettempdir()))


@cache
def sweep(parent: Path) -> None:
    """Remove folders of this user's killed tournaments directly below this one, once per process.

    Locked folders, those that can't be opened, and what can't be removed stay, without an error.
    """
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and (lock := _lock(folder)) is not None:
                remove(folder)
                os.close(lock)


# Bytes of free space below which a disk is full, unless a folder of ours takes more than _MUCH.
_LITTLE, _MUCH = 16 << 20, 1 << 30
# Bytes that a build needs at least, and seconds in which the system frees the space of files without names.
MIN_TO_BUILD, _FREEING_SECONDS = 32 << 20, 3.0


def is_full(folder: Path) -> bool:
    """Return whether the disk of a folder is full, and not because of this folder.

    It is full with less than 16 MiB of free space or no free file. The folder is the cause if it takes more than 1 GiB
    or has more than MAX_FILES files.

    Raises:
        OSError: The folder is missing, or can't be reached.
    """
    free, files = free_space(folder)
    return (free < _LITTLE or files == 0) and is_within(str(folder), _MUCH)


def free_space(folder: Path | str) -> tuple[int, int]:
    """Return the free bytes for this user, and the number of files that can still be made, −1 if it isn't counted.

    Raises:
        OSError: The folder is missing, or can't be reached.
    """
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize, disk.f_favail if disk.f_files else -1


class DiskUse:
    """The disk space that is taken from now on, including files without names, while a build works in some folders.

    It measures free space, because a file without a name can be mapped, or sent to another process, and so be open in
    none. Other processes' files count, too. They are distinguished at the end.
    """

    def __init__(self, folders: Sequence[str], most_bytes: int, free_bytes: int) -> None:
        """Start measuring.

        Args:
            folders: The folders in which the build writes, at least one. The first one's disk is measured.
            most_bytes: Maximum bytes that it can take.
            free_bytes: Bytes of free space that it must leave.

        Raises:
            OSError: There is too little space to build at all, which is less than 32 MiB beyond the space to leave. Or
                the first folder is missing.
        """
        self._folders = folders
        self._free, self._files = self._now = free_space(folders[0])
        self._most = min(most_bytes, self._free - free_bytes)
        if self._most < MIN_TO_BUILD:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def excess(self) -> str:
        """Measure, and return the resource of which too much was taken as text, such as "more than 512 MB of disk".

        It is "" if the space and the number of files are within their limits. At most MAX_FILES files can be made.

        Raises:
            OSError: The first folder is missing.
        """
        free, files = self._now = free_space(self._folders[0])
        if self._free - free > self._most:
            return f"more than {self._most >> 20:,} MB of disk"
        return f"more than {MAX_FILES:,} files" if self._files - files > MAX_FILES else ""

    def was_filled_by_others(self) -> bool:
        """Return whether too much space was taken, mostly outside these folders. Call it after the build has ended.

        It relies on the last measurement of `excess`. It is False if that found the space within its limit. It is
        False, too, if at least half of the space is in the folders or free again. Space that is free again belonged to
        files without names. The system gets up to three seconds to free it.

        Raises:
            OSError: The first folder is missing.
        """
        stopped, _ = self._now
        taken = self._free - stopped
        if taken <= self._most:
            return False
        end = time.monotonic() + _FREEING_SECONDS
        while (own := free_space(self._folders[0])[0] - stopped) < taken // 2 and time.monotonic() < end:
            if not all(is_within(folder, (taken // 2 - max(0, own)) // len(self._folders)) for folder in self._folders):
                return False
            time.sleep(0.1)
        return own < taken // 2


def is_within(folder: str, size: int) -> bool:
    """Return whether a folder takes at most `size` bytes of disk, in at most MAX_FILES files and folders.

    It is False for a folder with folders too deep to open, because they could hide files. What is missing or can't be
    read counts as nothing. Links aren't followed.
    """
    count = 0
    folders = [folder]
    try:
        while folders:
            with _ignoring_missing(), os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    with _ignoring_missing():
                        size -= entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                    if size < 0 or count > MAX_FILES:
                        return False
    except _TooDeep:
        return False
    return True


class _TooDeep(Exception):
    """Raised for a folder whose path is too long to open, so that its content can't be counted."""


@contextlib.contextmanager
def _ignoring_missing() -> Iterator[None]:
    """Ignore entries that are missing or can't be read.

    Raises:
        _TooDeep: The path is too long.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise _TooDeep from None


def remove(folder: Path) -> None:
    """Remove a folder with everything in it. At the first error the rest stays. A missing folder is no error.

    Folders inside are moved up first, so that neither paths nor recursion grow with their depth.
    """
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)
        while entries := list(os.scandir(folder)):
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                os.chmod(entry.path, 0o700)
                for inner in list(os.scandir(entry.path)):
                    if inner.is_dir(follow_symlinks=False):
                        os.chmod(inner.path, 0o700)  # or it couldn't be moved
                    os.rename(inner.path, folder / f".doomed-{os.urandom(8).hex()}")
                os.rmdir(entry.path)
        os.rmdir(folder)
