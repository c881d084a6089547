// Maniac
// Bets the limit with any card at all and calls with almost as little thought.

int a(const Bot *bot)
{
    (void)bot;
    return 50;
}

int b(const Bot *bot, const int aBet)
{
    double nerve = aBet < 25 ? 0.1 : 0.3;

    return bot->card > nerve;
}
