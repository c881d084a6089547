# See deals.pyx for details.

from libc.stdint cimport uint32_t, uint64_t

cdef enum:
    KEY_WORDS = 8
    BLOCK_WORDS = 8     # words of 64 bits
    LANES = 8           # blocks that are made at once

cdef struct Key:
    uint32_t words[KEY_WORDS]

cdef struct Blocks:
    uint32_t halves[2 * BLOCK_WORDS][LANES]    # the low and the high half of each word, by block

cdef struct Stream:
    Key key
    uint64_t number
    uint64_t first      # number of the first ready block, a multiple of LANES
    Blocks ready

cdef int read_key(Key* key, content) except -1
cdef void make_blocks(Blocks* blocks, const Key* key, uint64_t number, uint64_t stream, bint across) noexcept nogil
cdef void start_stream(Stream* stream, const Key* key, uint64_t number) noexcept nogil
cdef void make_ready(Stream* stream, uint64_t block) noexcept nogil

cdef inline int lane_of(Stream* stream, uint64_t block) noexcept nogil:
    """Return the lane of the block of this number, after making it ready if it isn't."""
    if block - stream.first >= LANES:
        make_ready(stream, block)
    return <int>(block % LANES)

cdef inline uint64_t block_word(const Blocks* blocks, int lane, int place) noexcept nogil:
    """Return the word at this place of a block."""
    return <uint64_t>blocks.halves[2 * place + 1][lane] << 32 | blocks.halves[2 * place][lane]

cdef inline uint64_t stream_word(Stream* stream, uint64_t number) noexcept nogil:
    """Return the word of this number."""
    return block_word(&stream.ready, lane_of(stream, number // BLOCK_WORDS), <int>(number % BLOCK_WORDS))

cdef inline uint64_t spread(uint64_t start, uint64_t number) noexcept nogil:
    """Return the word of this number in the SplitMix64 sequence from `start`. One complete word reveals all others."""
    cdef uint64_t z = start + (number + 1) * 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)
