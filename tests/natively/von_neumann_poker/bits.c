/* gnu17: bits: counts, rotations, reversal, gray codes, subsets, with builtins and without */
static uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }

Money a(const Bot *bot)
{
    uint32_t x = (uint32_t)(bot->card * 16777216) * 2654435761u | 1, h = 0;
    uint64_t w = (uint64_t)x * x;
    h += (uint32_t)__builtin_popcount(x) + 3 * (uint32_t)__builtin_clz(x) + 5 * (uint32_t)__builtin_ctzll(w << 5) + (uint32_t)__builtin_parity(x);
    h ^= __builtin_bswap32(x) + turned(x, 13) + (uint32_t)(__builtin_bswap64(w) >> 32) + (uint32_t)__builtin_ffs((int)x);
    for (uint32_t sub = x & 0x155; sub; sub = (sub - 1) & (x & 0x155))
        h = h * 31 + sub;
    h ^= (x ^ x >> 1) + (x & -x) + (uint32_t)__builtin_popcountll(w);
    int overflowed, sum;
    overflowed = __builtin_add_overflow((int)x, 2000000000, &sum);
    return h + (uint32_t)overflowed * 3 + (uint32_t)sum;
}

int b(const Bot *bot, const int aBet) { return __builtin_popcount((unsigned)aBet * (unsigned)bot->money) & 1; }
