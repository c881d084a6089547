"""A disk with little space, or one that fails, for commands in forks.

Both count what is written through the store. A write that fails has written a part, as the system would.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tournament.store.folder_storage import FolderStorage


class _Limited(io.FileIO):
    """An unbuffered file.

    Attributes:
        fitting: Called with a number of bytes; returns how many are written, and the error that follows, or 0.
    """

    fitting: Callable[[int], tuple[int, int]]

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        count, number = self.fitting(len(view))
        super().write(view[:count])
        if number:
            raise OSError(number, os.strerror(number))
        return count


def _have_files(fitting: Callable[[int], tuple[int, int]]) -> None:
    def open_staged(self: FolderStorage, name: str, mode: int) -> IO[bytes]:
        path = Path(self.location, name)
        path.parent.mkdir(exist_ok=True)
        file = _Limited(path, "xb")
        file.fitting = fitting
        return io.BufferedWriter(file, 1 << 16)

    setattr(FolderStorage, "_open_staged", open_staged)  # noqa: B010


def limit(space: int) -> None:
    """Let this many bytes fit from now on."""
    left = space

    def fitting(size: int) -> tuple[int, int]:
        nonlocal left
        count = min(size, left)
        left -= count
        return count, errno.ENOSPC if count < size else 0

    _have_files(fitting)


def fail_at(write: int, number: int, *, once: bool = True) -> None:
    """Have one write store half, and end with this error, or with 0 only return that it stored half.

    Unless `once`, writes after it do the same.
    """
    left = write

    def fitting(size: int) -> tuple[int, int]:
        nonlocal left
        left -= 1
        if left > 0 or (left < 0 and once):
            return size, 0
        return -(-size // 2), number

    _have_files(fitting)
