"""Folders in which strangers' programs have worked: made for them, and taken away whatever they left there."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 100_000


@contextlib.contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A new folder that only we can reach, gone when the block is done."""
    folder = Path(tempfile.mkdtemp(prefix="tournament-", dir=parent))
    try:
        yield folder
    finally:
        remove(folder)


def is_within(folder: str, size: int) -> bool:
    """Whether a folder that others work in takes at most so many bytes of disk, in at most MOST_FILES files."""
    count = 0
    folders = [folder]
    while folders:
        # It changes while we look, and what lies too deep for a path counts in the next folder above.
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                count += 1
                with contextlib.suppress(OSError):
                    size -= entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                if size < 0 or count > MOST_FILES:
                    return False
    return True


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it.

    However deep it is: what lies below is moved up, so that neither paths nor
    recursion grow with it. What can't be removed stays.
    """
    with contextlib.suppress(OSError):
        number = 0
        inner = [folder]
        while inner:
            current = inner[-1]
            os.chmod(current, 0o700)
            subfolders = []
            with os.scandir(current) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        subfolders.append(entry.path)
                    else:
                        os.unlink(entry.path)
            if current is folder:
                inner += [Path(path) for path in subfolders]
                if not subfolders:
                    os.rmdir(current)
                    inner.pop()
                continue
            for path in subfolders:
                number += 1
                os.chmod(path, 0o700)
                os.rename(path, folder / f".doomed-{number}")
            os.rmdir(current)
            inner.pop()
