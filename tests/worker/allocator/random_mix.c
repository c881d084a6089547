/* The bots' allocator, compiled for this machine with a memory of our own, under a random mix of calls.

   Every block has a pattern of its own, which is looked at whenever it is touched; somebody else takes pages, too.
   In the end all is freed, and one block has nearly everything. Arguments: seed, calls, pages of the memory. */

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static unsigned char *memory;
static size_t pages = 3, most_pages;

static size_t grow(size_t more)
{
    if (pages + more > most_pages)
        return SIZE_MAX;
    pages += more;
    return pages - more;
}

#define MEMORY_GROW(more) grow(more)
#define MEMORY_PAGES() pages
#define MEMORY_ADDRESS(page) ((uintptr_t)memory + ((uintptr_t)(page) << 16))
#define MEMORY_PAGES_MOST 0xFFFF
#define HEAP_BASE ((uintptr_t)memory + 70008)
#define HEAP_END ((uintptr_t)memory + (3 << 16))
#define malloc own_malloc
#define free own_free
#define calloc own_calloc
#define realloc own_realloc
#define reallocarray own_reallocarray
#define memalign own_memalign
#define aligned_alloc own_aligned_alloc
#define posix_memalign own_posix_memalign
#define valloc own_valloc
#define malloc_usable_size own_malloc_usable_size
#include "../../../tournament/artifacts/bot_runtime/allocator.c"

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

enum { KEPT = 4000 };
static struct { unsigned char *start; size_t size; unsigned char mark; } kept[KEPT];

static void check(int i)
{
    for (size_t byte = 0; byte < kept[i].size; byte++)
        assert(kept[i].start[byte] == (unsigned char)(kept[i].mark + byte));
}

static void mark(int i, void *start, size_t size)
{
    kept[i].start = start;
    kept[i].size = size;
    kept[i].mark = (unsigned char)draw(256);
    for (size_t byte = 0; byte < size; byte++)
        kept[i].start[byte] = (unsigned char)(kept[i].mark + byte);
}

static size_t some_size(void)
{
    uint64_t kind = draw(100);
    return kind < 70 ? draw(200) : kind < 95 ? draw(5000) : draw(200000);
}

int main(int count, char **words)
{
    (void)count;
    state = strtoull(words[1], NULL, 10);
    size_t calls = strtoull(words[2], NULL, 10);
    most_pages = strtoull(words[3], NULL, 10);
    size_t all = most_pages << 16;
    memory = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    unsigned char *theirs[100];
    size_t others = 0, refused = 0;
    for (size_t call = 0; call < calls; call++) {
        int i = (int)draw(KEPT);
        size_t size = some_size();
        if (kept[i].start)
            check(i);
        if (!kept[i].start) {
            unsigned char *start;
            size_t alignment = 16;
            errno = 0;
            switch (draw(4)) {
            case 0:
                start = calloc(size, 1);
                for (size_t byte = 0; start && byte < size; byte++)
                    assert(!start[byte]);
                break;
            case 1:
                alignment = (size_t)16 << draw(10);
                start = aligned_alloc(alignment, size);
                break;
            default:
                start = malloc(size);
            }
            assert(start ? !errno : errno == ENOMEM);
            refused += !start;
            if (!start)
                continue;
            assert((uintptr_t)start % alignment == 0);
            assert(start >= memory + 70008 && start + size <= memory + (pages << 16));
            assert(malloc_usable_size(start) >= size);
            mark(i, start, size);
        } else if (draw(3)) {
            memset(kept[i].start, 0xAA, malloc_usable_size(kept[i].start));
            free(kept[i].start);
            kept[i].start = NULL;
        } else {
            unsigned char *start = realloc(kept[i].start, size);
            if (!start)
                continue;
            size_t same = size < kept[i].size ? size : kept[i].size;
            for (size_t byte = 0; byte < same; byte++)
                assert(start[byte] == (unsigned char)(kept[i].mark + byte));
            mark(i, start, size);
        }
        if (draw(calls) < 3 && pages < most_pages && others < 100) {
            theirs[others] = memory + (pages << 16);
            memset(theirs[others++], 0x55, 1 << 16);
            pages++;
        }
    }
    for (int i = 0; i < KEPT; i++)
        if (kept[i].start) {
            check(i);
            free(kept[i].start);
        }
    for (size_t other = 0; other < others; other++)
        for (size_t byte = 0; byte < 1 << 16; byte++)
            assert(theirs[other][byte] == 0x55);
    size_t left = (most_pages - pages) << 16, largest = all;
    while (largest > 1 << 16 && !malloc(largest))
        largest -= 1 << 16;
    /* Who took pages in between cut memory into this many pieces and one more. */
    assert(largest >= (all - (3 << 16)) / (others + 1) - (2 << 16));
    printf("%zu refused, %zu pages of others, %zu of %zu bytes at once, %zu untouched\n", refused, others, largest, all, left);
}
