/* CRC-32 as zlib, gzip and Parquet's pages have it (ISO 3309, reflected): with carry-less multiplications where the
   processor has them, else by tables.

   V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009: a block
   that lies n bits before another may be added to it once it is multiplied by x^n modulo the polynomial. What is
   left, 16 bytes, goes through the tables. */

#ifndef ENGINE_CRC32_H
#define ENGINE_CRC32_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t crc32_tables[8][256];   /* of a byte with so many zero bytes after it */

static void crc32_prepare(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
        crc32_tables[0][byte] = crc;
    }
    for (int zeros = 1; zeros < 8; zeros++)
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = crc32_tables[zeros - 1][byte];
            crc32_tables[zeros][byte] = crc >> 8 ^ crc32_tables[0][crc & 0xFF];
        }
}

/* Both take the register as it stands, and give it, without the inversions at the beginning and end. */
static uint32_t crc32_by_tables(uint32_t crc, const unsigned char *content, size_t size)
{
    for (; size >= 8; content += 8, size -= 8) {
        uint32_t next = 0;
        for (int byte = 0; byte < 4; byte++)
            next ^= crc32_tables[7 - byte][(crc >> 8 * byte & 0xFF) ^ content[byte]]
                  ^ crc32_tables[3 - byte][content[4 + byte]];
        crc = next;
    }
    for (; size; content++, size--)
        crc = crc >> 8 ^ crc32_tables[0][(crc & 0xFF) ^ *content];
    return crc;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define CRC32_LANES 4

__attribute__((target("pclmul,sse2")))
static __m128i crc32_folded(__m128i block, __m128i powers, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(block, powers, 0x00), high = _mm_clmulepi64_si128(block, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* For at least 64 bytes. */
__attribute__((target("pclmul,sse2")))
static uint32_t crc32_by_folding(uint32_t crc, const unsigned char *content, size_t size)
{
    /* x^(512 + 32) and x^(512 - 32), x^(128 + 32) and x^(128 - 32), bits reflected, shifted by one */
    const __m128i far = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), near = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    __m128i lanes[CRC32_LANES];
    unsigned char rest[16];
    for (int lane = 0; lane < CRC32_LANES; lane++)
        lanes[lane] = _mm_loadu_si128((const __m128i *)(content + 16 * lane));
    lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128((int)crc));
    for (content += 64, size -= 64; size >= 64; content += 64, size -= 64)
        for (int lane = 0; lane < CRC32_LANES; lane++)
            lanes[lane] = crc32_folded(lanes[lane], far, _mm_loadu_si128((const __m128i *)(content + 16 * lane)));
    for (int lane = 1; lane < CRC32_LANES; lane++)
        lanes[0] = crc32_folded(lanes[0], near, lanes[lane]);
    for (; size >= 16; content += 16, size -= 16)
        lanes[0] = crc32_folded(lanes[0], near, _mm_loadu_si128((const __m128i *)content));
    _mm_storeu_si128((__m128i *)rest, lanes[0]);
    return crc32_by_tables(crc32_by_tables(0, rest, 16), content, size);
}
#endif

static uint32_t crc32_of(const unsigned char *content, size_t size)
{
#if defined(__x86_64__)
    if (size >= 64 && __builtin_cpu_supports("pclmul"))
        return ~crc32_by_folding(~0u, content, size);
#endif
    return ~crc32_by_tables(~0u, content, size);
}

#endif
