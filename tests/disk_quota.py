"""A disk with little space, for commands in forks.

Space is counted in what is written through the store; what doesn't fit fails as
the system would, in the middle of a write.
"""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import IO, Any

from tournament.store.folder_storage import FolderStorage

_left = 0


def _full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class _Limited(io.FileIO):
    """An unbuffered file of which only what fits is written."""

    def write(self, data: Any) -> int:
        global _left
        view = memoryview(data).cast("B")
        fitting = min(len(view), _left)
        _left -= fitting
        super().write(view[:fitting])
        if fitting < len(view):
            raise _full()
        return fitting


def limit(space: int) -> None:
    """From now on, so many bytes fit."""
    global _left
    _left = space

    def open_staged(self: FolderStorage, name: str) -> IO[bytes]:
        path = Path(self.location, name)
        path.parent.mkdir(exist_ok=True)
        return io.BufferedWriter(_Limited(path, "xb"), 1 << 16)

    setattr(FolderStorage, "open_staged", open_staged)  # noqa: B010
