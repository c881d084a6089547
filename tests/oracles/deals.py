"""Deals in plain Python: Philox4x32-10 starts a stream, SplitMix64 goes on.

Philox: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3",
SC11, 2011. SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
generators", OOPSLA 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

WORD32 = 0xFFFF_FFFF
WORD64 = 0xFFFF_FFFF_FFFF_FFFF

Deal = Callable[[int, int], tuple[float, float]]


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Philox4x32-10 of a counter and a key, words of 32 bits."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        product0 = 0xD251_1F53 * c0
        product2 = 0xCD9E_8D57 * c2
        c0, c1, c2, c3 = (
            product2 >> 32 ^ c1 ^ k0,
            product2 & WORD32,
            product0 >> 32 ^ c3 ^ k1,
            product0 & WORD32,
        )
        k0 = k0 + 0x9E37_79B9 & WORD32
        k1 = k1 + 0xBB67_AE85 & WORD32
    return c0, c1, c2, c3


def splitmix(seed: int) -> Iterator[int]:
    """SplitMix64's outputs from a seed on."""
    while True:
        seed = seed + 0x9E37_79B9_7F4A_7C15 & WORD64
        word = (seed ^ seed >> 30) * 0xBF58_476D_1CE4_E5B9 & WORD64
        word = (word ^ word >> 27) * 0x94D0_49BB_1331_11EB & WORD64
        yield word ^ word >> 31


def stream(key: int, number: int) -> Iterator[int]:
    """The 64-bit words of a session's stream: the number is the counter's high half."""
    low, high, _, _ = philox((0, 0, number & WORD32, number >> 32), (key & WORD32, key >> 32))
    return splitmix(high << 32 | low)


def poker_deals(key: int) -> Deal:
    """The cards of each game: the top 24 bits of its word's high half are A's, those of the low half B's."""

    def deal(session: int, game: int) -> tuple[float, float]:
        bits = f"{next(islice(stream(key, session), game, None)):064b}"
        return int(bits[:24], 2) / 2**24, int(bits[32:56], 2) / 2**24

    return deal
