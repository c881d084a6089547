/* gnu17: long double, which has 64 bits of precision on a PC and 113 in WebAssembly */
Money a(const Bot *bot)
{
    volatile long double third = 1.0L / 3, x = bot->card;
    for (int i = 0; i < 70; i++)
        x = x * 3.7L * (1 - x);
    return (Money)(x * 1e12L) + (Money)(third * 1e18L * 10) % 1000;
}

int b(const Bot *bot, const int aBet) { return (long double)aBet > bot->money; }
