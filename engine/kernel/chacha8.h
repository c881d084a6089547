/* ChaCha8, eight blocks at once: D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008, in the words of RFC 8439,
   with 8 rounds instead of 20. Integer arithmetic alone, so every processor gets the same bits.

   A block is 16 words of 32 bits, chosen by a key of 256 bits, a block's number and a stream's number of 64 bits
   each; they fill the words 12 and 13, 14 and 15 of its state, the low halves first. */

#ifndef ENGINE_CHACHA8_H
#define ENGINE_CHACHA8_H

#include <stdint.h>

#define CHACHA8_WORDS 16
#define CHACHA8_LANES 8

/* Word w of the eight blocks' lane i is at lanes[w][i]. */
typedef uint32_t chacha8_lanes[CHACHA8_WORDS][CHACHA8_LANES];

/* Eight blocks: of this number and the seven after it; or, if `across`, of this number in this stream and in the
   seven after it. */
typedef void chacha8_fill(chacha8_lanes lanes, const uint32_t key[8], uint64_t number, uint64_t stream, int across);

#define CHACHA8_QUARTER(left, left_16, left_8, a, b, c, d)                                                             \
    a += b, d ^= a, d = left_16(d);                                                                                    \
    c += d, b ^= c, b = left(b, 12);                                                                                   \
    a += b, d ^= a, d = left_8(d);                                                                                     \
    c += d, b ^= c, b = left(b, 7)

#define CHACHA8_LEFT(word, bits) ((word) << (bits) | (word) >> (32 - (bits)))
#define CHACHA8_LEFT_16(word) CHACHA8_LEFT(word, 16)
#define CHACHA8_LEFT_8(word) CHACHA8_LEFT(word, 8)

/* A version of the function: so many lanes in a vector, with these ways to rotate, compiled for a processor that
   has what `attribute` says. The vectors are GCC's and clang's own, so the text is one for all of them. */
#define CHACHA8_DEFINE(name, width, left, left_16, left_8, attribute)                                                  \
    typedef uint32_t name##_vector __attribute__((vector_size(4 * (width)), aligned(4), may_alias));                   \
    attribute static void name(                                                                                        \
        chacha8_lanes lanes, const uint32_t key[8], uint64_t number, uint64_t stream, int across)                      \
    {                                                                                                                  \
        static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};                         \
        for (int first = 0; first < CHACHA8_LANES; first += (width)) {                                                 \
            uint32_t numbers[4][width];                                                                                \
            name##_vector start[CHACHA8_WORDS], x[CHACHA8_WORDS];                                                      \
            for (int i = 0; i < (width); i++) {                                                                        \
                uint64_t of_block = number + (across ? 0 : (uint64_t)(first + i));                                     \
                uint64_t of_stream = stream + (across ? (uint64_t)(first + i) : 0);                                    \
                numbers[0][i] = (uint32_t)of_block;                                                                    \
                numbers[1][i] = (uint32_t)(of_block >> 32);                                                            \
                numbers[2][i] = (uint32_t)of_stream;                                                                   \
                numbers[3][i] = (uint32_t)(of_stream >> 32);                                                           \
            }                                                                                                          \
            for (int word = 0; word < 12; word++)                                                                      \
                start[word] = (name##_vector){0} + (word < 4 ? constants[word] : key[word - 4]);                       \
            for (int word = 12; word < CHACHA8_WORDS; word++)                                                          \
                start[word] = *(name##_vector *)numbers[word - 12];                                                    \
            for (int word = 0; word < CHACHA8_WORDS; word++)                                                           \
                x[word] = start[word];                                                                                 \
            for (int pair = 0; pair < 4; pair++) {                                                                     \
                CHACHA8_QUARTER(left, left_16, left_8, x[0], x[4], x[8], x[12]);                                       \
                CHACHA8_QUARTER(left, left_16, left_8, x[1], x[5], x[9], x[13]);                                       \
                CHACHA8_QUARTER(left, left_16, left_8, x[2], x[6], x[10], x[14]);                                      \
                CHACHA8_QUARTER(left, left_16, left_8, x[3], x[7], x[11], x[15]);                                      \
                CHACHA8_QUARTER(left, left_16, left_8, x[0], x[5], x[10], x[15]);                                      \
                CHACHA8_QUARTER(left, left_16, left_8, x[1], x[6], x[11], x[12]);                                      \
                CHACHA8_QUARTER(left, left_16, left_8, x[2], x[7], x[8], x[13]);                                       \
                CHACHA8_QUARTER(left, left_16, left_8, x[3], x[4], x[9], x[14]);                                       \
            }                                                                                                          \
            for (int word = 0; word < CHACHA8_WORDS; word++)                                                           \
                *(name##_vector *)&lanes[word][first] = x[word] + start[word];                                         \
        }                                                                                                              \
    }

/* Four lanes are an SSE2 or NEON register, which the processors of their families all have. */
CHACHA8_DEFINE(chacha8_fill_4, 4, CHACHA8_LEFT, CHACHA8_LEFT_16, CHACHA8_LEFT_8, )

#if defined(__x86_64__)
#include <immintrin.h>

/* Rotation by whole bytes is a shuffle. */
#define CHACHA8_SHUFFLE(word, a, b, c, d)                                                                              \
    (chacha8_fill_8_vector) _mm256_shuffle_epi8(                                                                       \
        (__m256i)(word), _mm256_setr_epi8(a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12,  \
                                          b + 12, c + 12, d + 12, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8,       \
                                          b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12))
#define CHACHA8_SHUFFLE_16(word) CHACHA8_SHUFFLE(word, 2, 3, 0, 1)
#define CHACHA8_SHUFFLE_8(word) CHACHA8_SHUFFLE(word, 3, 0, 1, 2)
CHACHA8_DEFINE(chacha8_fill_8, 8, CHACHA8_LEFT, CHACHA8_SHUFFLE_16, CHACHA8_SHUFFLE_8, __attribute__((target("avx2"))))

/* The same width, but any rotation is one instruction, and all words stay in registers. */
#define CHACHA8_ROTATE(word, bits) (chacha8_fill_8_rotating_vector) _mm256_rol_epi32((__m256i)(word), bits)
#define CHACHA8_ROTATE_16(word) CHACHA8_ROTATE(word, 16)
#define CHACHA8_ROTATE_8(word) CHACHA8_ROTATE(word, 8)
CHACHA8_DEFINE(
    chacha8_fill_8_rotating, 8, CHACHA8_ROTATE, CHACHA8_ROTATE_16, CHACHA8_ROTATE_8,
    __attribute__((target("avx2,avx512f,avx512vl"))))
#endif

/* The versions that this processor can run, from the plainest on; NULL behind the last. */
static chacha8_fill *chacha8_version(int number)
{
    if (number == 0)
        return chacha8_fill_4;
#if defined(__x86_64__)
    __builtin_cpu_init();
    int has_8 = __builtin_cpu_supports("avx2");
    int has_rotating = has_8 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    if (number == 1 && has_8)
        return chacha8_fill_8;
    if (number == 2 && has_rotating)
        return chacha8_fill_8_rotating;
#endif
    return 0;
}

#endif
