"""Folders in which strangers' programs work: made for them, and removed with all in them."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tournament.cache import make_folder

MOST_FILES = 100_000


# Only our folders have such names; those that are not locked are removed.
_PREFIX = ".tournament-scratch-"


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder that only we can reach, gone when the block is done.

    It is locked meanwhile. A killed tournament's is not: it goes when the next one makes a folder there.
    """
    _sweep(parent or Path(tempfile.gettempdir()))
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        if (lock := _lock(folder)) is not None:
            break
    try:
        yield folder
    finally:
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


@cache
def _sweep(parent: Path) -> None:
    """Remove the folders of tournaments that were killed."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid() and (lock := _lock(folder)) is not None:
                remove(folder)
                os.close(lock)


# A disk with less room than the first is full, unless a folder of ours takes more than the second.
_LITTLE, _MUCH = 16 << 20, 1 << 30


def is_full(folder: Path) -> bool:
    """Whether the disk of a folder is full, and not because of this folder."""
    disk = os.statvfs(folder)
    no_room = disk.f_bavail * disk.f_frsize < _LITTLE or (disk.f_files and not disk.f_favail)
    return bool(no_room) and is_within(str(folder), _MUCH)


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
