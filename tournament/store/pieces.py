"""Notes that may be larger than a file that is read as a whole: cut into files of a fixed size.

No piece tells that it belongs to the others: a note has its own hash, by which one of mixed pieces is found damaged.
"""

from __future__ import annotations

import itertools

from tournament.store.storage import MOST_READ, Storage

PIECE = MOST_READ  # bytes of every piece but the last one


def _names(name: str) -> itertools.chain[str]:
    return itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))


def replace_pieces(storage: Storage, name: str, content: bytes) -> None:
    """Write or replace a note. Raises OSError."""
    # The last piece is shorter than the others, and may be empty.
    for start, piece in zip(range(0, len(content) + 1, PIECE), _names(name)):
        storage.replace(piece, content[start : start + PIECE])


def read_pieces(storage: Storage, name: str) -> bytes:
    """What `replace_pieces` has written. Raises FileNotFoundError where a piece is missing."""
    pieces = []
    for piece in _names(name):
        pieces.append(storage.read(piece))
        if len(pieces[-1]) < PIECE:
            break
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
