/* malloc and its kin, such that one block can have nearly all memory, and small ones cost little.

   Blocks lie side by side, each with its size before it and, while it is free, behind it: boundary tags
   (Knuth, The Art of Computer Programming 1, section 2.5, exercise 19). So a block finds its neighbours, and
   free ones are joined. Those are kept in bins by size, thirty-two to a power of two, with a bit for each bin that
   has any (Masmano, Ripoll, Crespo and Real, "TLSF", ECRTS 2004). Behind the last block lies the top, which was never
   handed out or was given back, and grows with the memory.

   Small blocks that are freed go to quick lists first, one for each size, as they are. They are joined with
   their neighbours only when memory can't grow any more.

   Tests put a memory of their own in the place of WebAssembly's. */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#ifndef MEMORY_GROW
#define MEMORY_GROW(pages) __builtin_wasm_memory_grow(0, pages) /* the number before, or SIZE_MAX */
#define MEMORY_PAGES() __builtin_wasm_memory_size(0)
#define MEMORY_ADDRESS(page) ((uintptr_t)(page) << 16)
#define MEMORY_PAGES_MOST 0xFFFF /* the last page ends at address 0 */
/* What the linker leaves behind the data. Pages after that may be somebody else's. */
extern unsigned char __heap_base, __heap_end;
#define HEAP_BASE ((uintptr_t)&__heap_base)
#define HEAP_END ((uintptr_t)&__heap_end)
#endif

void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

enum {
    PAGE = 1 << 16,
    GRAIN = 16, /* to which what is handed out is aligned */
    WORD = sizeof(size_t),
    LEAST = 4 * WORD,
    USED = 1,
    USED_BEFORE = 2,
    FLAGS = 15,
    LEVEL_BITS = 5, /* bins of a power of two, by their logarithm */
    FINE_BITS = LEVEL_BITS + 4, /* below this power of two each size has a bin */
    BINS = (32 - FINE_BITS + 1) << LEVEL_BITS,
    QUICK_MOST = 4096, /* bytes of a block for which there is a quick list */
    LOOKS = 1, /* at blocks of a bin whose sizes differ */
    GROWTH = 16, /* memory grows by one part in so many */
};

#define OWN __attribute__((weak, no_builtin))
#define RARE __attribute__((noinline, no_builtin))
#define IS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define IS_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* What is handed out begins at `next`, and goes on to the end of the next block's `size_before`. */
typedef struct Block {
    size_t size_before; /* of the block before, where that is free */
    size_t head; /* size, a multiple of GRAIN, and flags */
    struct Block *next, *previous; /* of a bin, while it is free; of a quick list only next */
} Block;

static Block *bins[BINS];
static uint32_t bins_with_some[BINS / 32];
static Block *quick[QUICK_MOST / GRAIN + 1];
/* The top. What lies from `fresh` on was never handed out, and so is zero. */
static uintptr_t top, top_end, fresh;

static inline size_t size_of(const Block *block) { return block->head & ~(size_t)FLAGS; }
static inline Block *at(uintptr_t address) { return (Block *)address; }
static inline Block *after(Block *block) { return at((uintptr_t)block + size_of(block)); }
static inline Block *block_of(void *given) { return at((uintptr_t)given - 2 * WORD); }
static inline void *given_of(Block *block) { return &block->next; }
static inline uintptr_t aligned_up(uintptr_t address, size_t to) { return (address + to - 1) & ~(uintptr_t)(to - 1); }
/* Where a block can begin: what it hands out is aligned. */
static inline uintptr_t first_block(uintptr_t address) { return aligned_up(address + 2 * WORD, GRAIN) - 2 * WORD; }

/* The size of a block that hands out so many bytes; 0 where there can be none. */
static inline size_t block_size(size_t asked)
{
    if (IS_UNLIKELY(asked > PTRDIFF_MAX - 4 * PAGE))
        return 0;
    size_t size = (asked + WORD + GRAIN - 1) & ~(size_t)(GRAIN - 1);
    return size < LEAST ? LEAST : size;
}

/* The bin where a free block of a size is kept. */
static inline unsigned bin_of(size_t size)
{
    if (size < (size_t)1 << FINE_BITS)
        return (unsigned)(size / GRAIN);
    unsigned level = 63 - (unsigned)__builtin_clzll(size);
    unsigned bin = ((level - FINE_BITS + 1) << LEVEL_BITS) + ((size >> (level - LEVEL_BITS)) & ((1 << LEVEL_BITS) - 1));
    return bin < BINS ? bin : BINS - 1;
}

static void put(Block *block)
{
    unsigned bin = bin_of(size_of(block));
    block->previous = NULL;
    block->next = bins[bin];
    if (block->next)
        block->next->previous = block;
    bins[bin] = block;
    bins_with_some[bin / 32] |= UINT32_C(1) << bin % 32;
}

static void take_out(Block *block)
{
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous) {
        block->previous->next = block->next;
        return;
    }
    unsigned bin = bin_of(size_of(block));
    bins[bin] = block->next;
    if (!block->next)
        bins_with_some[bin / 32] &= ~(UINT32_C(1) << bin % 32);
}

/* Make a block free that is used and in no list, and join it with free ones on both sides. */
static void release(Block *block)
{
    size_t size = size_of(block);
    Block *behind = after(block);
    if (!(block->head & USED_BEFORE)) {
        block = at((uintptr_t)block - block->size_before);
        take_out(block);
        size += size_of(block);
    }
    if ((uintptr_t)behind == top) {
        top = (uintptr_t)block;
        return;
    }
    if (!(behind->head & USED)) {
        take_out(behind);
        size += size_of(behind);
        behind = at((uintptr_t)block + size);
    }
    block->head = size | USED_BEFORE;
    behind->size_before = size;
    behind->head &= ~(size_t)USED_BEFORE;
    put(block);
}

/* Cut a used block to a size that it has at least, and release the rest if that can be a block. */
static void cut(Block *block, size_t size)
{
    size_t rest = size_of(block) - size;
    if (rest < LEAST)
        return;
    block->head -= rest;
    after(block)->head = rest | USED | USED_BEFORE;
    release(after(block));
}

/* A free block of a size at least, out of its bin; NULL if there is none, or none was found at once. */
static Block *find(size_t size, int thoroughly)
{
    unsigned bin = bin_of(size);
    int looks = thoroughly || size < (size_t)1 << FINE_BITS ? -1 : LOOKS;
    for (Block *block = bins[bin]; block && looks--; block = block->next)
        if (size_of(block) >= size) {
            take_out(block);
            return block;
        }
    if (++bin == BINS)
        return NULL;
    unsigned word = bin / 32;
    uint32_t some = bins_with_some[word] & UINT32_MAX << bin % 32;
    while (!some) {
        if (++word == BINS / 32)
            return NULL;
        some = bins_with_some[word];
    }
    Block *block = bins[word * 32 + (unsigned)__builtin_ctz(some)];
    take_out(block);
    return block;
}

/* Use a free block that is in no bin. */
static Block *use(Block *block, size_t size)
{
    block->head |= USED;
    after(block)->head |= USED_BEFORE;
    cut(block, size);
    return block;
}

/* Let the top have so many bytes, and room for the end of its last block. 0 if memory can't grow so far. */
RARE static int grow_top(size_t size)
{
    if (!top_end) {
        top = fresh = first_block(HEAP_BASE);
        top_end = HEAP_END > top ? HEAP_END : top;
    }
    size += 2 * WORD;
    if (top_end - top >= size)
        return 1;
    size_t there = MEMORY_PAGES();
    int goes_on = MEMORY_ADDRESS(there) == top_end;
    size_t needed = (size - (goes_on ? top_end - top : 0) + (goes_on ? 0 : GRAIN) + PAGE - 1) / PAGE;
    if (there + needed > MEMORY_PAGES_MOST)
        return 0;
    size_t more = needed + there / GROWTH;
    if (there + more > MEMORY_PAGES_MOST)
        more = needed;
    if (MEMORY_GROW(more) == SIZE_MAX) {
        more = needed;
        if (MEMORY_GROW(more) == SIZE_MAX)
            return 0;
    }
    if (!goes_on) {
        /* Somebody else had pages in between: what is left before them ends in a block that stays used. */
        if (top_end - top >= 2 * WORD) {
            size_t left = (top_end - top - 2 * WORD) & ~(size_t)FLAGS;
            Block *last = at(top + left);
            last->head = USED | USED_BEFORE;
            if (left >= LEAST) {
                Block *block = at(top);
                block->head = left | USED | USED_BEFORE;
                top = 0;
                release(block);
            } else {
                at(top)->head = left | USED | USED_BEFORE;
            }
        }
        top = fresh = first_block(MEMORY_ADDRESS(there));
    }
    top_end = MEMORY_ADDRESS(there + more);
    return 1;
}

/* The beginning of the top as a used block. */
static Block *cut_top(size_t size)
{
    Block *block = at(top);
    block->head = size | USED | USED_BEFORE;
    top += size;
    return block;
}

static inline int top_has(size_t size) { return top_end - top >= size + 2 * WORD; }

static void note_fresh(void)
{
    if (fresh < top)
        fresh = top;
}

/* Join what lies in quick lists with its neighbours. */
RARE static void join_quick(void)
{
    for (unsigned list = 0; list <= QUICK_MOST / GRAIN; list++) {
        Block *block = quick[list];
        quick[list] = NULL;
        while (block) {
            Block *next = block->next;
            release(block);
            block = next;
        }
    }
}

/* A used block of a size, which isn't in a quick list. NULL and ENOMEM where there is no room. */
RARE static Block *new_block(size_t size)
{
    Block *found;
    if (!size)
        goto none;
    if ((found = find(size, 0)))
        return use(found, size);
    if (!top_has(size) && !grow_top(size)) {
        join_quick();
        if ((found = find(size, 1)))
            return use(found, size);
        if (!top_has(size) && !grow_top(size))
            goto none;
    }
    found = cut_top(size);
    note_fresh();
    return found;
none:
    errno = ENOMEM;
    return NULL;
}

OWN void *malloc(size_t asked)
{
    size_t size = block_size(asked);
    if (IS_LIKELY(size <= QUICK_MOST)) {
        Block **list = &quick[size / GRAIN];
        Block *block = *list;
        if (IS_LIKELY(block != NULL)) {
            *list = block->next;
            return given_of(block);
        }
    }
    Block *block = new_block(size);
    return block ? given_of(block) : NULL;
}

OWN void free(void *given)
{
    if (!given)
        return;
    Block *block = block_of(given);
    size_t size = size_of(block);
    if (IS_LIKELY(size <= QUICK_MOST)) {
        block->next = quick[size / GRAIN];
        quick[size / GRAIN] = block;
        return;
    }
    release(block);
}

OWN size_t malloc_usable_size(void *given)
{
    return given ? size_of(block_of(given)) - WORD : 0;
}

OWN void *calloc(size_t count, size_t each)
{
    size_t asked;
    if (__builtin_mul_overflow(count, each, &asked)) {
        errno = ENOMEM;
        return NULL;
    }
    uintptr_t zero_from = fresh;
    void *given = malloc(asked);
    /* Its last word is the next block's first, which none has written to in what is fresh. */
    if (given && !(zero_from && (uintptr_t)block_of(given) >= zero_from))
        memset(given, 0, asked);
    return given;
}

/* Let a block have a size where it lies; whether it can. */
static int grows_in_place(Block *block, size_t size)
{
    size_t had = size_of(block);
    Block *behind = after(block);
    if ((uintptr_t)behind == top) {
        if (!top_has(size - had) && !grow_top(size - had))
            return 0;
        if ((uintptr_t)behind != top)
            return 0; /* the new top lies elsewhere */
        cut_top(size - had);
        note_fresh();
        block->head += size - had;
        return 1;
    }
    if (behind->head & USED || had + size_of(behind) < size)
        return 0;
    take_out(behind);
    block->head += size_of(behind);
    after(block)->head |= USED_BEFORE;
    cut(block, size);
    return 1;
}

OWN void *realloc(void *given, size_t asked)
{
    if (!given)
        return malloc(asked);
    size_t size = block_size(asked);
    Block *block = block_of(given);
    size_t had = size_of(block);
    if (size && size <= had) {
        if (had > QUICK_MOST)
            cut(block, size);
        return given;
    }
    if (size && had > QUICK_MOST / 4 && grows_in_place(block, size))
        return given;
    void *other = malloc(asked);
    if (other) {
        memcpy(other, given, had - WORD);
        free(given);
    }
    return other;
}

OWN void *reallocarray(void *given, size_t count, size_t each)
{
    size_t asked;
    if (__builtin_mul_overflow(count, each, &asked)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(given, asked);
}

OWN void *memalign(size_t alignment, size_t asked)
{
    if (!alignment || alignment & (alignment - 1)) {
        errno = EINVAL;
        return NULL;
    }
    if (alignment <= GRAIN)
        return malloc(asked);
    size_t size = block_size(asked);
    Block *block = new_block(size && alignment < PTRDIFF_MAX - 4 * PAGE - size ? size + alignment + LEAST : 0);
    if (!block)
        return NULL;
    uintptr_t given = aligned_up((uintptr_t)given_of(block), alignment);
    size_t before = given - (uintptr_t)given_of(block);
    if (before && before < LEAST) {
        before += alignment;
        given += alignment;
    }
    if (before) {
        Block *rest = block;
        block = block_of((void *)given);
        block->head = (size_of(rest) - before) | USED | USED_BEFORE;
        rest->head -= size_of(block);
        release(rest);
    }
    cut(block, size);
    return (void *)given;
}

OWN void *aligned_alloc(size_t alignment, size_t asked)
{
    return memalign(alignment, asked);
}

OWN int posix_memalign(void **given, size_t alignment, size_t asked)
{
    if (alignment < sizeof(void *) || alignment & (alignment - 1))
        return EINVAL;
    int before = errno;
    void *found = memalign(alignment, asked);
    errno = before;
    if (!found)
        return ENOMEM;
    *given = found;
    return 0;
}

OWN void *valloc(size_t asked)
{
    return memalign(PAGE, asked);
}
