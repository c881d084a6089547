"""Small files: users' files are read up to a size, and ours are written completely or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from tournament.errors import InputError


def read_small_file(path: Path, max_bytes: int) -> bytes:
    """Return a file's content.

    Raises:
        InputError: It doesn't exist or can't be read, has more than `max_bytes` bytes, or is a folder, a pipe or a
            device.
    """
    try:
        # Opening a pipe doesn't wait. It is then refused.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise InputError(f"{path} can't be read: it is a pipe or a device")
            content: bytes = opened.read(max_bytes + 1)
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}") from None
    if len(content) > max_bytes:
        size = f"{max_bytes >> 20} MiB" if max_bytes >> 20 else f"{max_bytes >> 10} KiB"
        raise InputError(f"{path} is larger than {size}")
    return content


def decoded(content: bytes) -> str:
    """Return the text of a submitted file, without a byte order mark.

    Raises:
        UnicodeDecodeError: It is no UTF-8.
    """
    return content.decode("utf-8-sig")


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write a file, completely or not at all, even when power fails. It replaces an existing one.

    Args:
        path: Path of the file, whose folder exists.
        content: The content.
        mode: Mode of the file, which the user's mask reduces.

    Raises:
        OSError: The file can't be written.
    """
    aside = path.with_name(f".aside-{secrets.token_hex(8)}")
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise
