"""A disk with little space, or one that fails, for commands in forks.

Both are counted in what is written through the store; a write that fails has written a part of it, as the system would.
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
    """An unbuffered file; `fitting` tells how much of this many bytes is written, and the error that then comes, or
    0."""

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
    """From now on, this many bytes fit."""
    left = space

    def fitting(size: int) -> tuple[int, int]:
        nonlocal left
        count = min(size, left)
        left -= count
        return count, errno.ENOSPC if count < size else 0

    _have_files(fitting)


def fail_at(write: int, number: int, *, once: bool = True) -> None:
    """The so manieth write writes half, and ends with this error; with 0 it only tells that it wrote half.

    Unless `once`, so do those after it.
    """
    left = write

    def fitting(size: int) -> tuple[int, int]:
        nonlocal left
        left -= 1
        if left > 0 or (left < 0 and once):
            return size, 0
        return -(-size // 2), number

    _have_files(fitting)
