/* memcpy, memmove and memset, so that their fuel is about their time.

   The runtime has instructions for them, which are fast, and take a unit of fuel for each byte. Vectors of 128 bits
   take a quarter of a unit: long blocks are left to them, and short ones, for which a call out of WebAssembly is slow. */

#include <stddef.h>
#include <stdint.h>

#define VECTORS __attribute__((target("simd128,bulk-memory"), no_builtin))
#define SHORT 32
#define LONG 1024
#define AT(type, place) (*(type *)(place))

typedef uint16_t two __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((aligned(1), may_alias));
typedef uint64_t eight __attribute__((aligned(1), may_alias));
typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));

/* Of so many vectors: one after the other without a loop, and the addresses' constants within the instructions. */
#define READ(parts, count, from) \
    sixteen parts[count]; \
    for (size_t i = 0; i < count; i++) \
        parts[i] = AT(const sixteen, (from) + 16 * i)
#define WRITE(parts, count, to) \
    for (size_t i = 0; i < count; i++) \
        AT(sixteen, (to) + 16 * i) = parts[i]
#define FILL(vector, count, to) \
    for (size_t i = 0; i < count; i++) \
        AT(sixteen, (to) + 16 * i) = vector

/* A loop's address is hidden from the compiler, which else works out each of them anew. */
#define HIDE(place) __asm__("" : "+r"(place))

/* Whatever the blocks overlap: both ends are read before the first of them is written. */
#define MOVE_ENDS(type) \
    do { \
        type first = AT(const type, from), last = AT(const type, from + size - sizeof(type)); \
        AT(type, to) = first; \
        AT(type, to + size - sizeof(type)) = last; \
    } while (0)

VECTORS static inline void move(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size <= 16) {
        if (size >= 8)
            MOVE_ENDS(eight);
        else if (size >= 4)
            MOVE_ENDS(four);
        else if (size >= 2)
            MOVE_ENDS(two);
        else if (size)
            *to = *from;
    } else if (size <= SHORT) {
        MOVE_ENDS(sixteen);
    } else if (size < LONG) {
        __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0" ::"r"(to), "r"(from), "r"(size) : "memory");
    } else if ((uintptr_t)to - (uintptr_t)from >= size) {
        unsigned char *end = to + size - 64;
        READ(last, 4, from + size - 64);
        for (; size > 128; size -= 128, from += 128, to += 128) {
            HIDE(from);
            HIDE(to);
            READ(part, 8, from);
            WRITE(part, 8, to);
        }
        if (size > 64) {
            READ(part, 4, from);
            WRITE(part, 4, to);
        }
        WRITE(last, 4, end);
    } else {
        READ(first, 4, from);
        for (; size > 128; size -= 128) {
            const unsigned char *read = from + size - 128;
            unsigned char *written = to + size - 128;
            HIDE(read);
            HIDE(written);
            READ(part, 8, read);
            WRITE(part, 8, written);
        }
        if (size > 64) {
            READ(part, 4, from + size - 64);
            WRITE(part, 4, to + size - 64);
        }
        WRITE(first, 4, to);
    }
}

VECTORS __attribute__((weak)) void *memmove(void *to, const void *from, size_t size)
{
    move(to, from, size);
    return to;
}

/* The same: programs that copy what overlaps are wrong, and work elsewhere. */
VECTORS __attribute__((weak)) void *memcpy(void *to, const void *from, size_t size)
{
    move(to, from, size);
    return to;
}

#define FILL_ENDS(type, value) \
    (AT(type, to) = (type)(value), AT(type, to + size - sizeof(type)) = (type)(value))

VECTORS __attribute__((weak)) void *memset(void *start, int value, size_t size)
{
    unsigned char *to = start;
    unsigned char byte = (unsigned char)value;
    if (size <= 16) {
        uint64_t bytes = byte * UINT64_C(0x0101010101010101);
        if (size >= 8)
            FILL_ENDS(eight, bytes);
        else if (size >= 4)
            FILL_ENDS(four, bytes);
        else if (size >= 2)
            FILL_ENDS(two, bytes);
        else if (size)
            *to = byte;
        return start;
    }
    sixteen bytes = (sixteen){0} + byte;
    if (size <= SHORT) {
        FILL_ENDS(sixteen, bytes);
        return start;
    }
    if (size < LONG) {
        __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.fill 0" ::"r"(to), "r"(value), "r"(size) : "memory");
        return start;
    }
    unsigned char *end = to + size - 64;
    for (; size > 256; size -= 256, to += 256) {
        HIDE(to);
        FILL(bytes, 16, to);
    }
    for (; size > 64; size -= 64, to += 64) {
        HIDE(to);
        FILL(bytes, 4, to);
    }
    FILL(bytes, 4, end);
    return start;
}
