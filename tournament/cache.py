"""What is made once on a machine and kept between runs, sealed: what comes back is what was kept, or nothing."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tournament.errors import RunFailed

_SEAL_BYTES = hashlib.sha256().digest_size


def cache_folder() -> Path:
    """Compiled bots, the compiler's libraries and programs' folders. Raises RunFailed where no home is known."""
    if root := os.environ.get("TOURNAMENT_CACHE"):
        return Path(root)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tournament"
    except RuntimeError:
        raise RunFailed("this user has no home folder for the cache; name one in TOURNAMENT_CACHE") from None


def recall(path: Path) -> bytes | None:
    """What was kept at a path; None when nothing was, or it is damaged. Raises RunFailed when it can't be read."""
    try:
        sealed = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunFailed(f"can't read the cache {path}: {error.strerror}") from None
    seal, content = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    return content if seal == _seal(path, content) else None


def keep(path: Path, content: bytes) -> None:
    """Keep a content at a path, whole or not at all, also when power fails. Raises RunFailed when it can't be."""
    with cache_trouble(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, aside = tempfile.mkstemp(dir=path.parent, prefix=".aside-")
        try:
            with open(descriptor, "wb") as file:
                file.write(_seal(path, content) + content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(aside, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(aside)
            raise


def note(path: Path) -> None:
    """Keep that something was found so. Raises RunFailed."""
    keep(path, b"")


def is_noted(path: Path) -> bool:
    """Whether something was found so before. Raises RunFailed."""
    return recall(path) is not None


@contextlib.contextmanager
def cache_trouble(folder: Path) -> Iterator[None]:
    """Where the machine fails to write its cache, the run fails with that for a reason, and no bot is blamed."""
    try:
        yield
    except OSError as error:
        raise RunFailed(trouble_in_words(error, f"the cache {folder}")) from None


def trouble_in_words(error: OSError, place: str) -> str:
    """One line for a machine that can't write to a place."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"the disk of {place} is full; free some space and run again"
    return f"can't write to {place}: {error.strerror or error}"


def _seal(path: Path, content: bytes) -> bytes:
    """A digest that has the file's name in it: an entry in another's place is none."""
    return hashlib.sha256(path.name.encode() + b"\0" + content).digest()
