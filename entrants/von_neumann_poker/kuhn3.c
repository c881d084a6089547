// Three-card Kuhn
// Treats the cards as if there were only a low, a middle and a high one, and plays that small game's solution.

static int isBluff(Card card)
{
    return 9.0 * card < 1.0; // a third of the lowest third
}

static int isHigh(Card card)
{
    return 3.0 * card > 2.0;
}

Money kuhn3A(const Bot *bot)
{
    Money ante = 10;

    if (!isBluff(bot->card) && !isHigh(bot->card))
        return 0;
    return bot->money < ante ? bot->money : ante;
}

int kuhn3B(const Bot *bot, const Money aBet)
{
    int affordable = aBet <= bot->money;

    return affordable && 9.0 * bot->card > 5.0;
}
