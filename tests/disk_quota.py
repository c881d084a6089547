"""The command on a disk with little space: `python -m tests.disk_quota BYTES ARGUMENT…`.

Space is counted in what is written through the store; what doesn't fit fails as
the system would, in the middle of a write.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import IO, Any

from tournament.cli import commands as cli
from tournament.runner.batching import Pace
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


if __name__ == "__main__":
    limit(int(sys.argv[1]))
    # A part for each leg, so that some fit.
    setattr(Pace, "batch_is_full", lambda *_: True)  # noqa: B010
    sys.argv[1:] = sys.argv[2:]
    cli.main()
