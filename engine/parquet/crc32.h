/* The bulk of a CRC-32 (ISO 3309, reflected: that of zlib and of Parquet's pages) with carry-less multiplications.

   V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel, 2009: a block
   that lies n bits before another may be added to it once it is multiplied by x^n modulo the polynomial. */

#ifndef ENGINE_CRC32_H
#define ENGINE_CRC32_H

#include <stddef.h>
#include <stdint.h>

#define CRC32_FEW 64  /* fewer bytes are not folded */

#if defined(__x86_64__)
#include <immintrin.h>

#define CRC32_LANES 4

__attribute__((target("pclmul,sse2")))
static __m128i crc32_moved(__m128i block, __m128i powers, __m128i next)
{
    __m128i low = _mm_clmulepi64_si128(block, powers, 0x00), high = _mm_clmulepi64_si128(block, powers, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/* Folds all whole blocks of 16 bytes, at least four, into one, whose CRC from a register of 0 goes on as theirs. */
__attribute__((target("pclmul,sse2")))
static void crc32_fold_blocks(const unsigned char *content, size_t size, unsigned char folded[16])
{
    /* x^(512 + 32) and x^(512 - 32), x^(128 + 32) and x^(128 - 32), bits reflected, shifted by one */
    const __m128i far = _mm_set_epi64x(0x1C6E41596, 0x154442BD4), near = _mm_set_epi64x(0x0CCAA009E, 0x1751997D0);
    __m128i lanes[CRC32_LANES];
    for (int lane = 0; lane < CRC32_LANES; lane++)
        lanes[lane] = _mm_loadu_si128((const __m128i *)(content + 16 * lane));
    lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(-1));  /* a CRC begins with all bits set */
    for (content += 64, size -= 64; size >= 64; content += 64, size -= 64)
        for (int lane = 0; lane < CRC32_LANES; lane++)
            lanes[lane] = crc32_moved(lanes[lane], far, _mm_loadu_si128((const __m128i *)(content + 16 * lane)));
    for (int lane = 1; lane < CRC32_LANES; lane++)
        lanes[0] = crc32_moved(lanes[0], near, lanes[lane]);
    for (; size >= 16; content += 16, size -= 16)
        lanes[0] = crc32_moved(lanes[0], near, _mm_loadu_si128((const __m128i *)content));
    _mm_storeu_si128((__m128i *)folded, lanes[0]);
}
#endif

/* How many bytes were folded; 0 where the processor can't, or there are too few. */
static size_t crc32_fold(const unsigned char *content, size_t size, unsigned char folded[16])
{
#if defined(__x86_64__)
    if (size >= CRC32_FEW && __builtin_cpu_supports("pclmul")) {
        crc32_fold_blocks(content, size, folded);
        return size / 16 * 16;
    }
#endif
    return 0;
}

/* Goes on with a register, half a byte at a time. */
static uint32_t crc32_few(uint32_t crc, const unsigned char *content, size_t size)
{
    static const uint32_t powers[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    for (size_t i = 0; i < size; i++) {
        crc ^= content[i];
        crc = powers[crc & 15] ^ crc >> 4;
        crc = powers[crc & 15] ^ crc >> 4;
    }
    return crc;
}

#endif
