"""Notes beside the records, of what is worth knowing again. They save work, or are shown, and may be deleted."""

from __future__ import annotations

import hashlib

from tournament.errors import RunError
from tournament.store.storage import Storage

_MOST_BYTES = 64 << 20
_SEAL = hashlib.sha256().digest_size  # bytes at the end of a note


def write_note(storage: Storage, place: str, body: bytes) -> None:
    """Write or replace a note, sealed against damage. Raises OSError."""
    storage.replace(place, body + hashlib.sha256(body).digest(), durable=False)


def read_note(storage: Storage, place: str) -> bytes | None:
    """The body of a note; None where it is missing, damaged or can't be read. Anybody may have written it."""
    try:
        content = storage.read(place, _MOST_BYTES)
    except (OSError, RunError):
        return None
    body = content[:-_SEAL]
    return body if hashlib.sha256(body).digest() == content[-_SEAL:] else None
