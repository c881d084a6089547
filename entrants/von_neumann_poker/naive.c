// Naive
// Bets straight in proportion to how far the card lies above the middle, and never bluffs.

Money naiveA(const Bot *bot)
{
    double excess = bot->card - 0.5;

    // A card below the middle gives a negative amount, which the controller takes as a pass.
    return (Money)(50.0 * excess);
}

int naiveB(const Bot *bot, const Money aBet)
{
    (void)aBet;
    return bot->card > 0.5f;
}
