"""Parquet files that carry bytes and a seal: reading these without the rows, and whether they are as written.

The bytes are between the last row group and the footer, where readers of Parquet don't look. The footer's metadata have
their number, the hash of everything before them, and the seal: the hash of these bytes and of the footer, in which the
seal itself counts as zeros. So the end of a file alone tells whether what it says is as it was written, before any
reader of Parquet looks at it, and the whole file whether its rows are.
"""

from __future__ import annotations

from typing import NamedTuple

from blake3 import blake3

from tournament.store.storage import Storage

KEY = b"tournament_carries"  # of the footer's metadata
_DIGITS, _HEX = 10, 64  # of the number of bytes, and of a hash
_UNSEALED = b"0" * _HEX
_TAIL = 1 << 17  # bytes of a part that are read first: most carry less
_END = 8  # bytes after a footer: its length, and Parquet's magic number
_MOST_CARRIED = 1 << 29  # bytes, with the footer


class Carried(NamedTuple):
    """The end of a part that is as it was written.

    Attributes:
        content: The bytes that the part carries.
        seal: Seal of these and of the footer.
        size: Bytes of the part.
        pages: Bytes before those that it carries.
        pages_hash: Hash of these.
    """

    content: bytes
    seal: str
    size: int
    pages: int
    pages_hash: str


def unsealed(carried: bytes, pages_hash: str) -> dict[str, str]:
    """Return the metadata of a part that carries these bytes after pages of this hash, still without a seal."""
    return {KEY.decode(): f"{len(carried):0{_DIGITS}}{pages_hash}{_UNSEALED.decode()}"}


def seal_footer(carried: bytes, footer: bytes) -> tuple[bytes, str]:
    """Return a footer, whose seal is zeros, with its seal; and the seal."""
    at = _place_of_seal(footer)
    seal = blake3(carried).update(footer).hexdigest()
    return footer[:at] + seal.encode() + footer[at + _HEX :], seal


def _place_of_seal(footer: bytes) -> int:
    """Return where in a footer the seal is.

    Raises:
        ValueError: The footer has none.
    """
    if (place := footer.rfind(KEY)) < 0:
        raise ValueError("it carries no legs")
    # After the key, the type of the value and the length of the value in two bytes.
    return place + len(KEY) + 3 + _DIGITS + _HEX


def read_carried(storage: Storage, place: str, known_size: int | None = None) -> Carried:
    """Return what a part carries, which is as it was written.

    Raises:
        FileNotFoundError: There is no such part.
        ValueError: The end of the part isn't as it was written.
    """
    tail, size = storage.tail(place, _TAIL, known_size)
    length = int.from_bytes(tail[-_END:-4], "little")
    if tail[-4:] != b"PAR1" or not 0 < length <= min(size - _END, _MOST_CARRIED):
        raise ValueError("it is cut short")
    tail = _longer(storage, place, tail, length + _END, size)
    footer = tail[-length - _END : -_END]
    at = _place_of_seal(footer)
    carried = int(footer[at - _HEX - _DIGITS : at - _HEX])
    pages = size - carried - length - _END
    if carried > _MOST_CARRIED or pages < 0:
        raise ValueError("it is cut short")
    tail = _longer(storage, place, tail, carried + length + _END, size)
    content = tail[pages - size : -length - _END]
    seal = footer[at : at + _HEX].decode()
    if blake3(content).update(footer[:at] + _UNSEALED + footer[at + _HEX :]).hexdigest() != seal:
        raise ValueError("it has other legs than were written")
    return Carried(content, seal, size, pages, footer[at - _HEX : at].decode())


def _longer(storage: Storage, place: str, tail: bytes, count: int, size: int) -> bytes:
    """Return at least this many of the last bytes of a part.

    Raises:
        ValueError: The part has another size now.
    """
    if count <= len(tail):
        return tail
    tail, now = storage.tail(place, count, size)
    if now != size:
        raise ValueError("it was replaced while it was read")
    return tail


def check_pages(storage: Storage, place: str, carried: Carried) -> None:
    """Raise ValueError if the bytes of a part before those that it carries aren't as they were written."""
    digest, left = blake3(), carried.pages
    with storage.open_data(place) as stream:
        while left > 0 and (block := stream.read(min(left, 1 << 22))):
            digest.update(block)
            left -= len(block)
    if digest.hexdigest() != carried.pages_hash:
        raise ValueError("it has other rows than were written")
