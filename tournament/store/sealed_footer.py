"""Footers of Parquet files that carry their own seal: reading one without its rows, and whether it is as written."""

from __future__ import annotations

from blake3 import blake3

from tournament.store.storage import Storage

SEAL = "tournament_seal"
UNSEALED = "0" * 64
_TAIL = 1 << 16  # bytes of a part that are read first: most footers are shorter
END = 8  # bytes after a footer: its length, and Parquet's magic number
_MOST_FOOTER = 1 << 29  # bytes


def seal_footer(footer: bytes) -> tuple[bytes, str]:
    """Return a footer, whose seal is zeros, with its seal; and the seal."""
    place, seal = _seal_in(footer), blake3(footer).hexdigest()
    return footer[:place] + seal.encode() + footer[place + len(UNSEALED) :], seal


def after(footer: bytes, key: str) -> int:
    """Return where in a footer the length of a key's value stands.

    Raises:
        ValueError: The footer has no such key.
    """
    if (place := footer.rfind(key.encode())) < 0:
        raise ValueError("it carries no legs")
    return place + len(key) + 1  # a byte says that a text follows


def _seal_in(footer: bytes) -> int:
    return after(footer, SEAL) + 1


def value_in(footer: bytes, key: str) -> bytes:
    """Return the value of a key in a footer of ours. Its length is a number in pieces of seven bits."""
    place, length, shift = after(footer, key), 0, 0
    while True:
        piece = footer[place]
        length |= (piece & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if piece < 0x80:
            return footer[place : place + length]


def read_footer(storage: Storage, place: str, known_size: int | None = None) -> tuple[bytes, int, str]:
    """Return a part's footer, which is as it was written, the part's size, and the seal.

    Raises:
        FileNotFoundError: There is no such part.
        ValueError: The footer isn't as it was written.
    """
    tail, size = storage.tail(place, _TAIL, known_size)
    length = int.from_bytes(tail[-END:-4], "little")
    if tail[-4:] != b"PAR1" or not 0 < length <= min(size - END, _MOST_FOOTER):
        raise ValueError("it is cut short")
    if length + END > len(tail):
        tail, again = storage.tail(place, length + END, size)
        if again != size:
            raise ValueError("it was replaced while it was read")
    footer = tail[-length - END : -END]
    at = _seal_in(footer)
    seal = footer[at : at + len(UNSEALED)]
    if blake3(footer[:at] + UNSEALED.encode() + footer[at + len(UNSEALED) :]).hexdigest().encode() != seal:
        raise ValueError("it has other legs than were written")
    return footer, size, seal.decode()


def check_pages(storage: Storage, place: str, size: int, expected: str) -> None:
    """Raise ValueError where the bytes of a part before its footer aren't as they were written."""
    digest = blake3()
    with storage.open_data(place) as stream:
        while size > 0 and (block := stream.read(min(size, 1 << 22))):
            digest.update(block)
            size -= len(block)
    if digest.hexdigest() != expected:
        raise ValueError("it has other rows than were written")
