/* gnu17: static tables of 24 MB, one of them filled at the first decision */
static int chances[1 << 22];
static double means[1 << 20];
static const unsigned char start[3] = {1, 2, 3};
static int ready;

Money a(const Bot *bot)
{
    if (!ready++) {
        unsigned x = start[2];
        for (int i = 0; i < 1 << 22; i++)
            chances[i] = (int)(x = x * 22695477 + 1);
        for (int i = 1; i < 1 << 20; i++)
            means[i] = (means[i - 1] * 3 + chances[i * 4]) / 4;
    }
    return chances[(int)(bot->card * (1 << 22))] + (Money)means[(int)bot->money * 5000] + ready;
}

int b(const Bot *bot, const int aBet) { return chances[aBet * (int)bot->money] > 0; }
