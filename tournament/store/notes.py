"""Notes beside the ledger, of what its entries and parts come to. They save work and are no records.

A note bears a mark that takes the seed to make, and a seal that anybody can check, against damage.
"""

from __future__ import annotations

import hashlib

from tournament.keys import sub_key
from tournament.store.storage import Storage, TooLarge

_HASH = 32  # bytes of the mark, and of the seal
# Bytes of a note, by those of the entries: a leg takes more of these than of a note.
_MOST_SHARE, _MOST_MORE = 2, 1 << 16


def write_note(storage: Storage, name: str, body: bytes, key: bytes) -> None:
    """Write or replace the note ledger/`name`, marked with the master `key`. Raises OSError."""
    mark = _mark(name, body, key)
    seal = hashlib.sha256(body)
    seal.update(mark)
    storage.replace(f"ledger/{name}", b"".join((body, mark, seal.digest())))  # one copy: a large field's has 150 MB


def read_note(storage: Storage, name: str, key: bytes | None) -> bytes | None:
    """The body of a note; None where it is missing, damaged, too large, or not marked with this master `key`. Without a
    key anybody may have written it."""
    content = read_small(storage, name) or b""
    body, mark, seal = content[: -2 * _HASH], content[-2 * _HASH : -_HASH], content[-_HASH:]
    if hashlib.sha256(memoryview(content)[:-_HASH]).digest() != seal or (key and mark != _mark(name, body, key)):
        return None
    return body


def read_small(storage: Storage, name: str) -> bytes | None:
    """The file ledger/`name`; None where it is missing, or larger than a note of the ledger's entries can be."""
    entries = sum(size for file, size in storage.list("ledger").items() if file.endswith(".json"))
    try:
        return storage.read(f"ledger/{name}", _MOST_SHARE * entries + _MOST_MORE)
    except (FileNotFoundError, TooLarge):
        return None


def _mark(name: str, body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(body, key=sub_key(key, name), digest_size=_HASH).digest()
