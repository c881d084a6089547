"""Notes beside the ledger, of what its entries and parts come to. They save work and are no records.

A note bears a mark that takes the seed to make, and a seal that anybody can check, against damage. What may be larger
than a file that is read as a whole is cut into files of a fixed size. No piece tells that it belongs to the others:
whoever reads them has a hash of the whole.
"""

from __future__ import annotations

import hashlib
import itertools

from tournament.keys import sub_key
from tournament.store.storage import MOST_READ, Storage, TooLarge

PIECE = MOST_READ  # bytes of every piece but the last one
_HASH = 32  # bytes of the mark, and of the seal
# Bytes of a note, by those of the entries: a leg takes more of these than of a note.
_MOST_SHARE, _MOST_MORE = 2, 1 << 16


def write_note(storage: Storage, name: str, body: bytes, key: bytes) -> None:
    """Write or replace the note ledger/`name`, marked with the master `key`. Raises OSError."""
    mark = _mark(name, body, key)
    seal = hashlib.sha256(body)
    seal.update(mark)
    replace_pieces(storage, name, b"".join((body, mark, seal.digest())))  # one copy: a large field's has 150 MB


def read_note(storage: Storage, name: str, key: bytes | None) -> bytes | None:
    """The body of a note; None where it is missing, damaged, too large, or not marked with this master `key`.

    Without a key anybody may have written it.
    """
    content = read_pieces(storage, name) or b""
    body, mark, seal = content[: -2 * _HASH], content[-2 * _HASH : -_HASH], content[-_HASH:]
    if hashlib.sha256(memoryview(content)[:-_HASH]).digest() != seal or (key and mark != _mark(name, body, key)):
        return None
    return body


def replace_pieces(storage: Storage, name: str, content: bytes) -> None:
    """Write or replace the files of ledger/`name`. Raises OSError."""
    # The last piece is shorter than the others, and may be empty.
    for start, piece in zip(range(0, len(content) + 1, PIECE), _pieces(name)):
        storage.replace(piece, content[start : start + PIECE])


def read_pieces(storage: Storage, name: str) -> bytes | None:
    """What `replace_pieces` has written; None where a piece is missing, or it is too large for the ledger's entries."""
    entries = sum(size for file, size in storage.list("ledger").items() if file.endswith(".json"))
    left = _MOST_SHARE * entries + _MOST_MORE
    pieces = []
    try:
        for piece in _pieces(name):
            pieces.append(storage.read(piece, min(left, PIECE)))
            left -= len(pieces[-1])
            if len(pieces[-1]) < PIECE:
                break
    except (FileNotFoundError, TooLarge):
        return None
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _pieces(name: str) -> itertools.chain[str]:
    return itertools.chain([f"ledger/{name}"], (f"ledger/{name}-{number}" for number in itertools.count(2)))


def _mark(name: str, body: bytes, key: bytes) -> bytes:
    return hashlib.blake2b(body, key=sub_key(key, name), digest_size=_HASH).digest()
