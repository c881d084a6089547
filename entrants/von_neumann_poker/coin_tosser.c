// Coin Tosser
// Never looks at its card: a coin decides whether to bet, dice decide how much, and a coin whether to call.

static int heads(void)
{
    return (rand() >> 8) & 1;
}

int a(const Bot *bot)
{
    (void)bot;
    return heads() ? 1 + rand() % 50 : 0;
}

int b(const Bot *bot, const int aBet)
{
    (void)bot;
    (void)aBet;
    return heads();
}
