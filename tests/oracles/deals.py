"""Deals in plain Python: ChaCha8 gives the words of a stream, and SplitMix64 spreads one of them.

ChaCha: D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008, and RFC 8439. SplitMix64:
Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import count, islice

WORD32 = 0xFFFF_FFFF
WORD64 = 0xFFFF_FFFF_FFFF_FFFF

Deal = Callable[[int, int], tuple[float, float]]


def key_of(number: int) -> bytes:
    """Return a key for tests, the number as bytes."""
    return number.to_bytes(32, "little")


def quarter_round(state: list[int], a: int, b: int, c: int, d: int) -> None:
    for one, other, third, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[one] = state[one] + state[other] & WORD32
        mixed = state[third] ^ state[one]
        state[third] = (mixed << bits | mixed >> 32 - bits) & WORD32


@lru_cache(maxsize=10_000)
def chacha_block(key: bytes, number: int, stream: int, rounds: int = 8) -> bytes:
    """Return a block of ChaCha, 64 bytes.

    The number goes into the words 12 and 13 of the state, the stream into the words 14 and 15.
    """
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<QQ", number, stream)))
    state = list(start)
    for _ in range(rounds // 2):
        for column in range(4):
            quarter_round(state, column, column + 4, column + 8, column + 12)
        for column in range(4):
            quarter_round(state, column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
    return struct.pack("<16I", *[a + b & WORD32 for a, b in zip(start, state)])


def block_words(key: bytes, number: int, stream: int) -> list[int]:
    """Return the eight words of 64 bits of a block."""
    return list(struct.unpack("<8Q", chacha_block(key, number, stream)))


def stream(key: bytes, number: int) -> Iterator[int]:
    """Yield the 64-bit words of a stream."""
    for block in count():
        yield from block_words(key, block, number)


def splitmix(seed: int) -> Iterator[int]:
    """Yield SplitMix64's outputs of a seed."""
    while True:
        seed = seed + 0x9E37_79B9_7F4A_7C15 & WORD64
        word = (seed ^ seed >> 30) * 0xBF58_476D_1CE4_E5B9 & WORD64
        word = (word ^ word >> 27) * 0x94D0_49BB_1331_11EB & WORD64
        yield word ^ word >> 31


def poker_deals(key: bytes) -> Deal:
    """Return the cards of each game. The top 24 bits of its word's halves are A's and B's cards."""

    def deal(session: int, game: int) -> tuple[float, float]:
        bits = f"{next(islice(stream(key, session), game, None)):064b}"
        return int(bits[:24], 2) / 2**24, int(bits[32:56], 2) / 2**24

    return deal
