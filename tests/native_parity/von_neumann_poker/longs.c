/* gnu17: a long that is taken to have 64 bits, and a size_t */
long a(const Bot *bot)
{
    long x = (long)(bot->card * 16777216) * 1000003L;
    return x / 7 + (long)sizeof(size_t);
}

int b(const Bot *bot, const long aBet) { return (aBet << 40) != 0; }
