"""Files that a user writes by hand, and that may be anybody's: read whole, up to a size."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tournament.errors import BadInput


def read_small_file(path: Path, most: int) -> bytes:
    """A file's content. Raises BadInput where it can't be read, has more than `most` bytes, or is a pipe or a
    device."""
    try:
        # A pipe is opened at once, and then refused.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise BadInput(f"{path} can't be read: it is a pipe or a device")
            content: bytes = opened.read(most + 1)
    except OSError as error:
        raise BadInput(f"{path} can't be read: {error.strerror}") from None
    if len(content) > most:
        size = f"{most >> 20} MiB" if most >> 20 else f"{most >> 10} KiB"
        raise BadInput(f"{path} is larger than {size}")
    return content
