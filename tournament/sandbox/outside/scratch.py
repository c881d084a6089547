"""Folders in which strangers' programs work: made for them, and removed with all in them."""

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

MOST_FILES = 100_000
_MAX_REMOVALS = 30  # of a folder, a tenth of a second apart

# Only our folders have such names; those that are not locked are removed.
_PREFIX = ".tournament-scratch-"


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder that only we can reach, gone when the block is done.

    It is locked meanwhile. A killed tournament's is not: it goes when the next one makes a folder there.
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
        for _ in range(_MAX_REMOVALS):  # processes that have just been killed may still write
            if not folder.exists():
                break
            time.sleep(0.1)
            remove(folder)
        os.close(lock)


@contextlib.contextmanager
def alone_on_this_machine(folder: Path) -> Iterator[None]:
    """Wait until no other process is in such a block for this folder of the cache, which is made if it isn't there."""
    make_folder(folder)
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _lock(folder: Path) -> int | None:
    """A descriptor that keeps the folder locked; None when somebody else has locked or removed it."""
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
    """Remove the folders of killed tournaments from where temporary files are, before it is known to have space."""
    if place := os.environ.get("TMPDIR"):
        sweep(Path(place))  # Python takes another folder while this one is full
    sweep(Path(tempfile.gettempdir()))


@cache
def sweep(parent: Path) -> None:
    """Remove the folders of tournaments that were killed."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and (lock := _lock(folder)) is not None:
                remove(folder)
                os.close(lock)


# A disk with less room than the first is full, unless a folder of ours takes more than the second.
_LITTLE, _MUCH = 16 << 20, 1 << 30
# What a build needs at least, and how long the system may take to free the space of files without names.
LEAST_TO_BUILD, _FREEING_SECONDS = 32 << 20, 3.0


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder is full, and not because of this folder."""
    free, files = free_space(folder)
    return (free < _LITTLE or files == 0) and is_within(str(folder), _MUCH)


def free_space(folder: Path | str) -> tuple[int, int]:
    """Return the bytes that are free where a folder is, and how many files can be made; -1 if that isn't counted."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize, disk.f_favail if disk.f_files else -1


class DiskUse:
    """What is taken of a disk from now on, also by files without names, while a build works in some folders.

    It is the free space that tells: a file without a name may be open in no process, but mapped, or under way from one
    to another. So it is also others' files that count, which are told apart at the end.
    """

    def __init__(self, folders: Sequence[str], most_bytes: int, free_bytes: int) -> None:
        """Take the limits of a build.

        Raises:
            OSError: There is too little space to build at all.
        """
        self._folders = folders
        self._free, self._files = self._now = free_space(folders[0])
        self._most = min(most_bytes, self._free - free_bytes)
        if self._most < LEAST_TO_BUILD:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def excess(self) -> str:
        """Return what was taken too much of, in words; "" for nothing."""
        free, files = self._now = free_space(self._folders[0])
        if self._free - free > self._most:
            return f"more than {self._most >> 20:,} MB of disk"
        return f"more than {MOST_FILES:,} files" if self._files - files > MOST_FILES else ""

    def was_filled_by_others(self) -> bool:
        """Return whether too much was taken, and most of it not in these folders; all that worked there has ended.

        Space that is free again was taken by files without names.
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
    """Whether a folder that others work in takes at most this many bytes of disk, in at most MOST_FILES files.

    One with folders too deep to be looked into doesn't: files could be hidden there.
    """
    count = 0
    folders = [folder]
    try:
        while folders:
            with _ignoring_what_is_gone(), os.scandir(folders.pop()) as entries:
                for entry in entries:
                    count += 1
                    with _ignoring_what_is_gone():
                        size -= entry.stat(follow_symlinks=False).st_blocks * 512
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                    if size < 0 or count > MOST_FILES:
                        return False
    except _TooDeep:
        return False
    return True


class _TooDeep(Exception):
    """A folder lies too deep for its path to be opened, so what is in it can't be counted."""


@contextlib.contextmanager
def _ignoring_what_is_gone() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise _TooDeep from None


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it.

    What is below folders in it is moved up first, so that neither paths nor recursion grow with their depth. What can't
    be removed stays.
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
