/* malloc and its kin with gaps around each block; a block that was freed is handed out again only after many others.

   The linker puts these in the place of those of bot_runtime/allocator.c, from which they get their memory. */

#include "finding.h"

#include <errno.h>
#include <string.h>

void *__real_malloc(size_t);
void __real_free(void *);

enum {
    GAP = 32, /* on either side, at least */
    KEPT_BLOCKS = 4096, /* that were freed last */
    KEPT_BYTES = 4 << 20,
    FILL = 0xBE, /* what a bot finds in memory that it never set */
    IN_USE = 0x600DB10C,
    GIVEN_BACK = 0x0DDB10C5,
};

/* Before what is handed out. */
typedef struct Head {
    void *whole;
    size_t size, sort;
} Head;

static void *freed[KEPT_BLOCKS];
static unsigned oldest, count_freed;
static size_t bytes_freed;

static Head *head_of(void *given) { return (Head *)given - 1; }

static void let_go(void)
{
    Head *head = head_of(freed[oldest]);
    oldest = (oldest + 1) % KEPT_BLOCKS;
    count_freed--;
    bytes_freed -= head->size;
    __real_free(head->whole);
}

static void *new_block(size_t size, size_t alignment)
{
    if (size > PTRDIFF_MAX / 2 || alignment > PTRDIFF_MAX / 4) {
        errno = ENOMEM;
        return NULL;
    }
    size_t all = ((size + 7) & ~(size_t)7) + 2 * GAP + alignment;
    void *whole;
    while (!(whole = __real_malloc(all)) && count_freed)
        let_go();
    if (!whole)
        return NULL;
    uintptr_t at = ((uintptr_t)whole + GAP + alignment - 1) & ~(uintptr_t)(alignment - 1);
    mark((uintptr_t)whole, all, BESIDE_BLOCK);
    mark_usable(at, size);
    *head_of((void *)at) = (Head){whole, size, IN_USE};
    return memset((void *)at, FILL, size);
}

void *__wrap_malloc(size_t size) { return new_block(size, 16); }

/* Complain of what is no block in use. */
static void check_block(void *given, const char *what)
{
    size_t sort = (uintptr_t)given % 8 || (uintptr_t)given < GAP ? 0 : head_of(given)->sort;
    if (sort == IN_USE)
        return;
    Words words = {.size = 0};
    add_words(&words, what);
    add_words(&words, sort == GIVEN_BACK ? " a block that was freed before" : " what is no block of malloc or new");
    tell(FINDING, 0, &words);
    __builtin_trap();
}

void __wrap_free(void *given)
{
    if (!given)
        return;
    check_block(given, "frees");
    Head *head = head_of(given);
    head->sort = GIVEN_BACK;
    mark((uintptr_t)given, head->size + 7, FREED);
    while (count_freed == KEPT_BLOCKS || (count_freed && bytes_freed + head->size > KEPT_BYTES))
        let_go();
    freed[(oldest + count_freed++) % KEPT_BLOCKS] = given;
    bytes_freed += head->size;
}

void *__wrap_calloc(size_t count, size_t each)
{
    size_t size;
    if (__builtin_mul_overflow(count, each, &size)) {
        errno = ENOMEM;
        return NULL;
    }
    void *given = new_block(size, 16);
    return given ? memset(given, 0, size) : NULL;
}

void *__wrap_realloc(void *given, size_t size)
{
    if (!given)
        return new_block(size, 16);
    check_block(given, "reallocates");
    void *other = new_block(size, 16);
    if (other) {
        size_t had = head_of(given)->size;
        memcpy(other, given, had < size ? had : size);
        __wrap_free(given);
    }
    return other;
}

void *__wrap_reallocarray(void *given, size_t count, size_t each)
{
    size_t size;
    if (__builtin_mul_overflow(count, each, &size)) {
        errno = ENOMEM;
        return NULL;
    }
    return __wrap_realloc(given, size);
}

void *__wrap_memalign(size_t alignment, size_t size)
{
    if (!alignment || alignment & (alignment - 1)) {
        errno = EINVAL;
        return NULL;
    }
    return new_block(size, alignment < 16 ? 16 : alignment);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) { return __wrap_memalign(alignment, size); }

int __wrap_posix_memalign(void **given, size_t alignment, size_t size)
{
    int before = errno;
    void *block = alignment % sizeof(void *) ? (errno = EINVAL, NULL) : __wrap_memalign(alignment, size);
    int problem = block ? 0 : errno;
    errno = before;
    if (block)
        *given = block;
    return problem;
}

size_t __wrap_malloc_usable_size(void *given) { return given ? head_of(given)->size : 0; }
