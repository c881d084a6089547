/* memcpy, memmove and memset: short blocks by a few reads and writes, longer ones by the runtime's instructions for them.

   These are as fast as can be, but for a short block the call out of WebAssembly is slow. */

#include <stddef.h>
#include <stdint.h>

#define VECTORS __attribute__((target("simd128,bulk-memory"), no_builtin))
#define SHORT 32
#define AT(type, place) (*(type *)(place))

typedef uint16_t two __attribute__((aligned(1), may_alias));
typedef uint32_t four __attribute__((aligned(1), may_alias));
typedef uint64_t eight __attribute__((aligned(1), may_alias));
typedef uint8_t sixteen __attribute__((vector_size(16), aligned(1), may_alias));

/* Whatever the blocks overlap: both ends are read before the first of them is written. */
#define MOVE_ENDS(type) \
    do { \
        type first = AT(const type, from), last = AT(const type, from + size - sizeof(type)); \
        AT(type, to) = first; \
        AT(type, to + size - sizeof(type)) = last; \
    } while (0)

/* By themselves, since a function without loops pays for all of its branches. */
VECTORS __attribute__((noinline)) static void move_more(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size > SHORT)
        __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.copy 0, 0" ::"r"(to), "r"(from), "r"(size) : "memory");
    else
        MOVE_ENDS(sixteen);
}

VECTORS static inline void move(unsigned char *to, const unsigned char *from, size_t size)
{
    if (size > 16)
        move_more(to, from, size);
    else if (size >= 8)
        MOVE_ENDS(eight);
    else if (size >= 4)
        MOVE_ENDS(four);
    else if (size >= 2)
        MOVE_ENDS(two);
    else if (size)
        *to = *from;
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

VECTORS __attribute__((noinline)) static void fill_more(unsigned char *to, unsigned char byte, size_t size)
{
    if (size > SHORT)
        __asm__ volatile("local.get %0\nlocal.get %1\nlocal.get %2\nmemory.fill 0" ::"r"(to), "r"(byte), "r"(size) : "memory");
    else
        FILL_ENDS(sixteen, (sixteen){0} + byte);
}

VECTORS __attribute__((weak)) void *memset(void *start, int value, size_t size)
{
    unsigned char *to = start;
    unsigned char byte = (unsigned char)value;
    uint64_t bytes = byte * UINT64_C(0x0101010101010101);
    if (size > 16)
        fill_more(to, byte, size);
    else if (size >= 8)
        FILL_ENDS(eight, bytes);
    else if (size >= 4)
        FILL_ENDS(four, bytes);
    else if (size >= 2)
        FILL_ENDS(two, bytes);
    else if (size)
        *to = byte;
    return start;
}
