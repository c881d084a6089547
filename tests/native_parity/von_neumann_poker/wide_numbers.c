/* gnu17: 64 and 128 bits: products, quotients, shifts, conversions, a modular power */
static uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus)
{
    uint64_t result = 1;
    for (base %= modulus; exponent; exponent >>= 1, base = (unsigned __int128)base * base % modulus)
        if (exponent & 1)
            result = (unsigned __int128)result * base % modulus;
    return result;
}

Money a(const Bot *bot)
{
    uint64_t x = (uint64_t)(bot->card * 16777216) * 0x9E3779B97F4A7C15ull;
    int64_t y = (int64_t)(x >> 1) - ((int64_t)1 << 62);
    uint64_t h = power(x | 1, (uint64_t)bot->money * 1000003, 1000000007ull * 998244353);
    h ^= (uint64_t)(y / 1234567) + (uint64_t)(y % 1234567) + (uint64_t)(y >> 7) + (x >> 60) + (x << 13);
    h += (uint64_t)(double)x + (uint64_t)(int64_t)((double)y / 3) + (uint64_t)((__int128)y * y >> 64);
    return (Money)(h & INT64_MAX);
}

int b(const Bot *bot, const Money aBet) { return (int64_t)aBet * INT64_C(0x100000001) % 7 < bot->money % 7; }
