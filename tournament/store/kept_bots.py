"""Artifacts of bots with recorded games, stored with the records.

They make it possible to replay games of bots that were changed or removed. A file in secret/bots/ is a bot's artifact,
and its name is the artifact's sha256. For a Python bot or a program it contains the source. So only the owner can read
it, like the seed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor

from tournament.errors import RunError
from tournament.store.seed_files import SECRETS
from tournament.store.storage import Storage

# Maximum bytes of all artifacts together.
MAX_BYTES = 256 << 20
_FOLDER = f"{SECRETS}/bots"
_NAME = re.compile(r"[0-9a-f]{64}")
# Parallel requests, because object stores answer slowly.
_AT_ONCE = 16


def store_bots(storage: Storage, artifacts: Mapping[str, bytes]) -> list[str]:
    """Store the artifacts that aren't stored yet, the smallest first.

    Args:
        storage: Storage of the records.
        artifacts: Artifacts by sha256.

    Returns:
        sha256 of each artifact that would exceed the space for all of them, 256 MiB, the smallest first. Those that are
            stored already count, and can be among them.

    Raises:
        OSError: An artifact can't be written, or the folder of artifacts can't be read.
        RunError: Something other than a folder has the name of that folder, or a request to the object store fails.
    """
    size, too_many = 0, []
    stored, missing = _stored_hashes(storage), []
    for sha256, content in sorted(artifacts.items(), key=lambda one: (len(one[1]), one[0])):
        size += len(content)
        if size > MAX_BYTES:
            too_many.append(sha256)
        elif sha256 not in stored:
            missing.append(sha256)

    def store(sha256: str) -> None:
        """Store one artifact, which only the owner can read.

        Raises:
            OSError: The artifact can't be written.
            RunError: A request to the object store fails.
        """
        storage.replace(artifact_path(sha256), artifacts[sha256], private=True, durable=False)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(store, missing))
    return too_many


def drop_bots(storage: Storage, but: Collection[str]) -> None:
    """Remove all stored artifacts except these.

    Args:
        storage: Storage of the records.
        but: sha256 of each artifact to keep.

    Raises:
        OSError: An artifact can't be removed, or the folder of artifacts can't be read.
        RunError: Something other than a folder has the name of that folder, or a request to the object store fails.
    """
    for sha256 in _stored_hashes(storage).difference(but):
        storage.remove(artifact_path(sha256))


def read_bot(storage: Storage, sha256: str) -> bytes | None:
    """Return the stored artifact with this sha256, or None if it isn't stored.

    Raises:
        RunError: The file has other bytes than were written, more than 256 MiB, or can't be opened.
        OSError: The file can't be read.
    """
    try:
        content = storage.read(artifact_path(sha256), MAX_BYTES)
    except FileNotFoundError:
        return None
    if hashlib.sha256(content).hexdigest() != sha256:
        raise RunError(
            f"{storage.location}/{artifact_path(sha256)} has other bytes than were written; restore the bot's file"
        )
    return content


def damaged_bots(storage: Storage) -> list[str]:
    """Return the names in the storage of artifacts that have other bytes than were written, or can't be opened, sorted.

    Raises:
        RunError: Something other than a folder has the name of the folder, or a request to the object store fails.
        OSError: The folder of artifacts, or an open file, can't be read.
    """
    damaged = []
    for sha256 in sorted(_stored_hashes(storage)):
        try:
            read_bot(storage, sha256)
        except RunError:
            damaged.append(artifact_path(sha256))
    return damaged


def artifact_path(sha256: str) -> str:
    """Return the name of an artifact in the storage."""
    return f"{_FOLDER}/{sha256}"


def _stored_hashes(storage: Storage) -> set[str]:
    """Return the sha256 of each stored artifact, by its name: reading thousands would take longer than a short run.

    The result is empty if this user isn't allowed to read the folder of artifacts.

    Raises:
        RunError: Something other than a folder has the name of that folder, or a request to the object store fails.
        OSError: The folder can't be read for another reason than permissions.
    """
    return {name for name, is_file in storage.everything(_FOLDER).items() if is_file and _NAME.fullmatch(name)}
