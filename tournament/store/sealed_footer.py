"""Parquet files with extra bytes and a seal, which can be read and checked without the rows.

The extra bytes are between the last row group and the footer, where readers of Parquet don't look. The footer's
metadata have their number, the hash of everything before them, and the seal. The seal is the hash of the extra bytes
and of the footer, in which the seal itself counts as zeros. So the end of a file shows whether its contents are as they
were written, before any reader of Parquet reads it. The whole file shows whether its rows are.
"""

from __future__ import annotations

from typing import NamedTuple

from blake3 import blake3

from tournament.store.storage import Storage

# Key of the footer's metadata.
KEY = b"tournament_carries"
# Digits of the number of bytes, and of a hash.
_DIGITS, _HEX = 10, 64
_UNSEALED = b"0" * _HEX
# Bytes of a part that are read first: most parts carry less.
_TAIL = 1 << 17
# Bytes after a footer: its length, and Parquet's magic number.
_END = 8
# Maximum bytes that a part carries, with the footer.
_MAX_CARRIED = 1 << 29


class Carried(NamedTuple):
    """The end of a part that is as it was written.

    Attributes:
        content: Bytes that the part carries.
        seal: Seal of these bytes and of the footer, a BLAKE3 hash in hexadecimal.
        size: Size of the part in bytes.
        pages: Number of bytes before those that the part carries.
        pages_hash: Hash of the bytes before those that the part carries, in hexadecimal.
    """

    content: bytes
    seal: str
    size: int
    pages: int
    pages_hash: str


def unsealed(carried: bytes, pages_hash: str) -> dict[str, str]:
    """Return the metadata of a part, with zeros instead of the seal.

    Args:
        carried: Bytes that the part carries.
        pages_hash: BLAKE3 hash of the bytes before them, in hexadecimal.
    """
    return {KEY.decode(): f"{len(carried):0{_DIGITS}}{pages_hash}{_UNSEALED.decode()}"}


def seal_footer(carried: bytes, footer: bytes) -> tuple[bytes, str]:
    """Return a footer with its seal, and the seal.

    Args:
        carried: Bytes that the part carries.
        footer: Footer whose seal is zeros.

    Raises:
        ValueError: The footer has no seal.
    """
    start = _seal_offset(footer)
    seal = blake3(carried).update(footer).hexdigest()
    return footer[:start] + seal.encode() + footer[start + _HEX :], seal


def _seal_offset(footer: bytes) -> int:
    """Return the offset of the seal in a footer.

    Raises:
        ValueError: The footer has none.
    """
    if (offset := footer.rfind(KEY)) < 0:
        raise ValueError("it carries no legs")
    # The value follows the key, its own type, and its length in two bytes.
    return offset + len(KEY) + 3 + _DIGITS + _HEX


def read_carried(storage: Storage, path: str, part_size: int | None = None) -> Carried:
    """Return what a part carries, once it is checked.

    Args:
        storage: Storage of the records.
        path: Name of the part.
        part_size: Size of the part in bytes, which saves a request; None if it is unknown.

    Raises:
        FileNotFoundError: There is no such part.
        ValueError: The end of the part isn't as it was written, or the part was replaced while it was read.
        RunError: The part can't be opened, or a request to the object store fails.
        OSError: The part can't be read.
    """
    tail, size = storage.tail(path, _TAIL, part_size)
    length = int.from_bytes(tail[-_END:-4], "little")
    if tail[-4:] != b"PAR1" or not 0 < length <= min(size - _END, _MAX_CARRIED):
        raise ValueError("it is cut short")
    tail = _longer(storage, path, tail, length + _END, size)
    footer = tail[-length - _END : -_END]
    start = _seal_offset(footer)
    carried = int(footer[start - _HEX - _DIGITS : start - _HEX])
    pages = size - carried - length - _END
    if carried > _MAX_CARRIED or pages < 0:
        raise ValueError("it is cut short")
    tail = _longer(storage, path, tail, carried + length + _END, size)
    content = tail[pages - size : -length - _END]
    seal = footer[start : start + _HEX].decode()
    if blake3(content).update(footer[:start] + _UNSEALED + footer[start + _HEX :]).hexdigest() != seal:
        raise ValueError("it has other legs than were written")
    return Carried(content, seal, size, pages, footer[start - _HEX : start].decode())


def _longer(storage: Storage, path: str, tail: bytes, count: int, size: int) -> bytes:
    """Return at least this number of a part's last bytes.

    Raises:
        ValueError: The part has another size now.
        FileNotFoundError: The part is missing.
        RunError: The part can't be opened, or a request to the object store fails.
        OSError: The part can't be read.
    """
    if count <= len(tail):
        return tail
    tail, now = storage.tail(path, count, size)
    if now != size:
        raise ValueError("it was replaced while it was read")
    return tail


def check_pages(storage: Storage, path: str, carried: Carried) -> None:
    """Check the bytes of a part before those that it carries.

    Raises:
        FileNotFoundError: The part is missing.
        ValueError: These bytes aren't as they were written.
        RunError: The part can't be opened, or a request to the object store fails.
        OSError: The part can't be read.
    """
    digest, left = blake3(), carried.pages
    with storage.open_data(path) as stream:
        while left > 0 and (block := stream.read(min(left, 1 << 22))):
            digest.update(block)
            left -= len(block)
    if digest.hexdigest() != carried.pages_hash:
        raise ValueError("it has other rows than were written")
