/* gnu89: K&R definitions, implicit int, functions that nobody declared */
static sum(p, q, r)
    double p;
    long r;
{
    return (int)(p * q) + r;
}

static twice(x) { return helper(x, 2); }

helper(x, times) { return x * times; }

a(bot)
    Bot *bot;
{
    register i;
    auto total = 0;
    for (i = 0; i < 5; i++)
        total += sum((double)bot->card * 10, i, bot->money) - twice(i);
    return total;
}

b(bot, aBet)
    Bot *bot;
    int aBet;
{
    return twice(aBet) > sum((double)bot->card, 60, 1L);
}
