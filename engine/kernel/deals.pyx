"""The randomness of deals: counter-based, so that any deal can be computed without those before it.

A word is a function of (key, stream, number) alone. Bots see words, so this is a keyed pseudo-random function of
cryptographic quality. It is ChaCha8 with a key of 256 bits (J.-P. Aumasson, "Too Much Crypto", 2019, on why 8 rounds
are enough). Words that a bot has seen don't distinguish another from a random one. A block gives eight words of 64
bits, and eight blocks are made together.

One word can decide a single answer, such as the yes or no of a hundred rollouts. Then it starts the faster SplitMix64
(Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014): `spread`. That can be run
backwards, so each use says why no bot sees enough.
"""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "chacha8.h":
    ctypedef void (*Fill "chacha8_fill *")(
        uint32_t (*lanes)[LANES], const uint32_t* key, uint64_t number, uint64_t stream, int across
    ) noexcept nogil
    Fill chacha8_version(int number) nogil

KEY_BYTES = 4 * KEY_WORDS
BLOCKS_AT_ONCE = LANES

cdef int VERSION_COUNT = 0
while chacha8_version(VERSION_COUNT) != NULL:
    VERSION_COUNT += 1
VERSIONS = VERSION_COUNT

cdef Fill FASTEST = chacha8_version(VERSION_COUNT - 1)


cdef int read_key(Key* key, content) except -1:
    """Read 32 bytes as little-endian words.

    Raises:
        ValueError: The content isn't 32 bytes.
    """
    cdef const unsigned char* at
    cdef int i
    if not isinstance(content, bytes) or len(content) != KEY_BYTES:
        raise ValueError(f"a key is {KEY_BYTES} bytes")
    at = <bytes>content
    for i in range(KEY_WORDS):
        key.words[i] = at[4 * i] | at[4 * i + 1] << 8 | at[4 * i + 2] << 16 | <uint32_t>at[4 * i + 3] << 24
    return 0


cdef void make_blocks(Blocks* blocks, const Key* key, uint64_t number, uint64_t stream, bint across) noexcept nogil:
    """Make eight blocks of a stream, starting at this number, or `across` eight streams the block of this number."""
    FASTEST(blocks.halves, key.words, number, stream, across)


cdef void start_stream(Stream* stream, const Key* key, uint64_t number) noexcept nogil:
    """Start the stream of this number, and make its first blocks ready."""
    stream.key = key[0]
    stream.number = number
    make_ready(stream, 0)


cdef void make_ready(Stream* stream, uint64_t block) noexcept nogil:
    """Make ready the block of this number, and those around it."""
    stream.first = block - block % LANES
    make_blocks(&stream.ready, &stream.key, stream.first, stream.number, False)


def deal_word(bytes key, uint64_t stream, uint64_t number):
    """Return the 64 random bits of this key, stream and number.

    Raises:
        ValueError: The key isn't 32 bytes.
    """
    cdef Key words
    cdef Stream read
    read_key(&words, key)
    start_stream(&read, &words, stream)
    return stream_word(&read, number)


def blocks(bytes key, uint64_t number, uint64_t stream, *, bint across=False, int version=-1):
    """Return BLOCKS_AT_ONCE blocks of a stream, starting at a number. Each is a list of eight words.

    Args:
        across: Whether to return blocks of this number, one of each of as many streams that start at `stream`.
        version: One of the VERSIONS of the code that this processor can run. By default the fastest.

    Raises:
        ValueError: There is no such version, or the key has another length.
    """
    cdef Key words
    cdef Blocks made
    cdef int lane, place
    if not -1 <= version < VERSION_COUNT:
        raise ValueError(f"there are {VERSION_COUNT} versions")
    read_key(&words, key)
    (FASTEST if version == -1 else chacha8_version(version))(made.halves, words.words, number, stream, across)
    return [[block_word(&made, lane, place) for place in range(BLOCK_WORDS)] for lane in range(LANES)]
