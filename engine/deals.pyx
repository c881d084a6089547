"""The randomness of deals: counter-based, so that any deal can be found again without those before it.

A word is a function of (key, stream, number) alone: the key stands for the
contest's seed, the stream for a session, the number for a game. Streams start
at the output of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
numbers: as easy as 1, 2, 3", SC11, 2011) and go on as SplitMix64 does (Steele,
Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014),
which costs less than a bot's first branch.
"""


def deal_word(uint64_t key, uint64_t stream, uint64_t number):
    """The 64 random bits of this key, stream and number."""
    return stream_word(stream_key(key, stream), number)
