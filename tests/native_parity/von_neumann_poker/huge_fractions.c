/* gnu17: fractions too large for a whole type, and NaN, turned into one */
Money a(const Bot *bot)
{
    volatile double huge = bot->card * 1e12 + 3e9, none = 0;
    return (Money)(int)huge + (Money)(int)(none / none);
}

int b(const Bot *bot, const int aBet) { return (int)(aBet * 1e9f) > 0; }
