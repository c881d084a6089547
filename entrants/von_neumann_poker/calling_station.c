// Calling Station
// Wants to see every card: it calls everything, and bets only when it holds the better half of the better half.

int a(const Bot *bot)
{
    return bot->card > 0.75f ? 20 : 0;
}

int b(const Bot *bot, const int aBet)
{
    (void)bot;
    return aBet;
}
