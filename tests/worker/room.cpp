/* What a bot has room for: each turn tries one thing, and answers 1 if it went well. */
#include <cerrno>
#include <new>
#include <vector>

static const size_t MEGABYTE = 1 << 20;
static const size_t NEARLY_ALL = 64 * MEGABYTE / 100 * 95;
static volatile int zero;

/* Calls that the compiler can't leave out, or foresee. */
static void *(*volatile take)(size_t) = malloc;
static void *(*volatile take_zeros)(size_t, size_t) = calloc;
static void *(*volatile change)(void *, size_t) = realloc;

/* Marks a block so that another one in its place would be noticed. */
static void mark(char *block, size_t size, char with)
{
    for (size_t i = 0; i < size; i += 4093)
        block[i] = (char)(with + i);
}

static bool has(const char *block, size_t size, char with)
{
    for (size_t i = 0; i < size; i += 4093)
        if (block[i] != (char)(with + i))
            return false;
    return true;
}

static int one_block()
{
    for (int round = 0; round < 3; round++) {
        char *block = (char *)take(NEARLY_ALL);
        if (!block)
            return 0;
        mark(block, NEARLY_ALL, 7);
        if (!has(block, NEARLY_ALL, 7))
            return 0;
        free(block);
    }
    char *zeros = (char *)calloc(NEARLY_ALL / 4, 4);
    for (size_t i = 0; zeros && i < NEARLY_ALL / 4 * 4; i += 511)
        if (zeros[i])
            return 0;
    free(zeros);
    return zeros != nullptr;
}

static int too_much()
{
    errno = 0;
    if (take(300 * MEGABYTE) || errno != ENOMEM)
        return 0;
    errno = 0;
    if (take_zeros(SIZE_MAX / 2, 3) || errno != ENOMEM || take(SIZE_MAX - 20) || change(nullptr, SIZE_MAX - 20))
        return 0;
    void *aligned;
    return posix_memalign(&aligned, 3, 100) == EINVAL && posix_memalign(&aligned, 64, 300 * MEGABYTE) == ENOMEM;
}

static int a_million_small_ones()
{
    const int count = 1000000;
    char **blocks = (char **)take(count * sizeof(char *));
    unsigned random = 1;
    for (int i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        blocks[i] = (char *)malloc(1 + (random >> 8) % 44);
        if (!blocks[i])
            return 0;
        *blocks[i] = (char)i;
    }
    for (int i = count - 1; i >= 0; i--) {
        random = random * 1664525 + 1013904223;
        int other = (int)((random >> 8) % (unsigned)(i + 1));
        char *block = blocks[other];
        blocks[other] = blocks[i];
        free(block);
    }
    char *all = (char *)take(57 * MEGABYTE); /* beside the list */
    free(all);
    free(blocks);
    return all != nullptr;
}

static int growing_block()
{
    size_t size = 100;
    char *block = (char *)malloc(size);
    mark(block, size, 3);
    while (size < 48 * MEGABYTE) {
        size_t larger = size * 5 / 4;
        block = (char *)realloc(block, larger);
        if (!block || !has(block, size, 3))
            return 0;
        mark(block, larger, 3);
        size = larger;
    }
    block = (char *)realloc(block, 50);
    void *other = take(40 * MEGABYTE);
    int rest_is_free = has(block, 50, 3) && other;
    free(other);
    free(block);
    return rest_is_free;
}

static int growing_vector()
{
    std::vector<int> numbers;
    for (int i = 0; i < 7500000; i++)
        numbers.push_back(i);
    long long sum = 0;
    for (int number : numbers)
        sum += number;
    return sum == 7500000LL * 7499999 / 2;
}

static int aligned_ones()
{
    struct alignas(256) Wide { char bytes[300]; };
    std::vector<void *> all;
    for (size_t alignment = 16; alignment <= 65536; alignment *= 2) {
        void *one = nullptr, *other = aligned_alloc(alignment, 3 * alignment);
        if (posix_memalign(&one, alignment, 100) || (uintptr_t)one % alignment || (uintptr_t)other % alignment)
            return 0;
        all.push_back(one);
        all.push_back(other);
    }
    Wide *wide = new Wide[3];
    if ((uintptr_t)wide % 256 || (uintptr_t)malloc(1) % 16)
        return 0;
    delete[] wide;
    for (void *one : all)
        free(one);
    return 1;
}

/* The same as loops that do a byte at a time, at every alignment, overlapping both ways. */
static int moved_and_filled()
{
    static unsigned char mine[6000], plain[6000];
    static const int sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255,
                                257, 500, 1023, 1024, 1025, 1087, 1088, 1151, 1153, 1279, 1281, 2000, 2047, 2049};
    for (int i = 0; i < 6000; i++)
        mine[i] = plain[i] = (unsigned char)(i * 31 + i / 256);
    for (int size : sizes)
        for (int shift = -70; shift <= 70; shift += 5) {
            unsigned char *to = mine + 2000 + shift, *also_to = plain + 2000 + shift;
            memmove(to, mine + 2000, (size_t)size);
            if (shift < 0)
                for (volatile int i = 0; i < size; i++)
                    also_to[i] = plain[2000 + i];
            else
                for (volatile int i = size; i--;)
                    also_to[i] = plain[2000 + i];
            memset(mine + 4100 + shift, size + shift, (size_t)size / 2);
            for (volatile int i = 0; i < size / 2; i++)
                plain[4100 + shift + i] = (unsigned char)(size + shift);
            memcpy(mine + shift + 70, mine + 2000 - shift, (size_t)size / 2);
            for (volatile int i = 0; i < size / 2; i++)
                plain[shift + 70 + i] = plain[2000 - shift + i];
            for (int i = 0; i < 6000; i++)
                if (mine[i] != plain[i])
                    return 0;
        }
    return 1;
}

static int deep(int frames) { return frames ? 1 + deep(frames - 1 - zero) + zero : zero; }

static int deep_with_an_array(int frames)
{
    volatile char here[200];
    here[frames % 200] = 1;
    return frames ? here[frames % 200] + deep_with_an_array(frames - 1) + here[frames % 200] - 1 : zero;
}

static int frames() { return deep(30000) == 30000 && deep_with_an_array(30000) == 30000; }

template <size_t SIZE>
__attribute__((noinline)) static int local_array()
{
    volatile char here[SIZE];
    for (size_t i = 0; i < SIZE; i += 999)
        here[i] = (char)i;
    for (size_t i = 0; i < SIZE; i += 999)
        if (here[i] != (char)i)
            return 0;
    return 1;
}

static int endless(int n) { return n + endless(n + 1 + zero) * endless(n + 2); }

int move(const Bot *bot)
{
    switch (bot->turn) {
    case 0: return one_block();
    case 1: return too_much();
    case 2: return a_million_small_ones();
    case 3: return growing_block();
    case 4: return one_block() && aligned_ones();
    case 5: return moved_and_filled();
    case 6: return frames();
    case 7: return local_array<2 * MEGABYTE>() && local_array<7 * MEGABYTE>();
    case 8: return local_array<9 * MEGABYTE>();
    case 9: return endless(1);
    case 10: return growing_vector();
    }
    return 1;
}
