/* gnu17: recursion, 40,000 calls deep with a hundred bytes each */
static unsigned down(int n, unsigned h)
{
    volatile unsigned char kept[64];
    kept[n & 63] = (unsigned char)h;
    if (n == 0)
        return h;
    return down(n - 1, h * 33 + n) ^ kept[n & 63];
}

Money a(const Bot *bot) { return down(40000, (unsigned)(bot->card * 16777216)); }
int b(const Bot *bot, const int aBet) { return down(20000 + aBet, (unsigned)bot->money) & 1; }
