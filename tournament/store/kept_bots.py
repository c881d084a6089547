"""Bots with games in the records, as they played, kept beside these: so that games can be played again after a bot has
changed or left.

A file of secret/bots/ is a bot's artifact, named by its sha256. Of a bot in Python and of a program it has the source,
so it is its owner's alone, as the seed is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

from tournament.errors import RunError
from tournament.store.seed_files import SECRETS
from tournament.store.storage import Storage

MOST_BYTES = 256 << 20  # of all of them
_FOLDER = f"{SECRETS}/bots"
_NAME = re.compile(r"[0-9a-f]{64}")
_AT_ONCE = 16  # object stores are slow to answer


def keep_bots(storage: Storage, artifacts: Mapping[str, bytes]) -> list[str]:
    """Keep these artifacts, by their sha256, those that aren't there, the smallest first. Returns those that would take
    more than all may. Raises OSError."""
    size, too_many = 0, []
    there, missing = _kept(storage), []
    for sha256, content in sorted(artifacts.items(), key=lambda one: (len(one[1]), one[0])):
        size += len(content)
        if size > MOST_BYTES:
            too_many.append(sha256)
        elif sha256 not in there:
            missing.append(sha256)

    def keep(sha256: str) -> None:
        storage.replace(place_of(sha256), artifacts[sha256], private=True, durable=False)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(keep, missing))
    return too_many


def drop_bots(storage: Storage, but: Collection[str]) -> None:
    """Remove those that are kept, but these."""
    for sha256 in _kept(storage).difference(but):
        storage.remove(place_of(sha256))


def kept_bot(storage: Storage, sha256: str) -> bytes | None:
    """The artifact of this sha256, None where it isn't kept. Raises RunError for other bytes."""
    try:
        content = storage.read(place_of(sha256), MOST_BYTES)
    except FileNotFoundError:
        return None
    if hashlib.sha256(content).hexdigest() != sha256:
        raise RunError(
            f"{storage.location}/{place_of(sha256)} has other bytes than were written; bring the bot's file back"
        )
    return content


def damaged_bots(storage: Storage) -> list[str]:
    """The places of those that have other bytes than were written."""
    found = []
    for sha256 in sorted(_kept(storage)):
        try:
            kept_bot(storage, sha256)
        except RunError:
            found.append(place_of(sha256))
    return found


def place_of(sha256: str) -> str:
    """Where an artifact is kept."""
    return f"{_FOLDER}/{sha256}"


def _kept(storage: Storage) -> set[str]:
    """The names of those that are kept, without a look at their bytes: a run with thousands of bots is short."""
    return {name for name, is_file in storage.everything(_FOLDER).items() if is_file and _NAME.fullmatch(name)}
