# See deals.pyx for details.

from libc.stdint cimport uint32_t, uint64_t

cdef inline uint64_t stream_key(uint64_t key, uint64_t stream) noexcept nogil:
    """Where a stream of words begins: 64 bits of Philox4x32-10 for this key and counter."""
    cdef uint32_t c0 = 0
    cdef uint32_t c1 = 0
    cdef uint32_t c2 = <uint32_t>stream
    cdef uint32_t c3 = <uint32_t>(stream >> 32)
    cdef uint32_t k0 = <uint32_t>key
    cdef uint32_t k1 = <uint32_t>(key >> 32)
    cdef uint64_t even, odd
    cdef int _round
    for _round in range(10):
        even = <uint64_t>0xD2511F53u * c0
        odd = <uint64_t>0xCD9E8D57u * c2
        c0 = <uint32_t>(odd >> 32) ^ c1 ^ k0
        c1 = <uint32_t>odd
        c2 = <uint32_t>(even >> 32) ^ c3 ^ k1
        c3 = <uint32_t>even
        k0 += 0x9E3779B9u
        k1 += 0xBB67AE85u
    return <uint64_t>c1 << 32 | c0

cdef inline uint64_t stream_word(uint64_t start, uint64_t number) noexcept nogil:
    """The word of this number in the stream that begins there (SplitMix64)."""
    cdef uint64_t z = start + (number + 1) * 0x9E3779B97F4A7C15ULL
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL
    return z ^ (z >> 31)
