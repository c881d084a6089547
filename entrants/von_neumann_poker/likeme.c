// Like Me
// Bets by a straight line from a passing card to a card worth the limit, and calls what it would itself have bet.

int likemea(const Bot *bot)
{
    float passBelow = 0.5f, limitAbove = 0.9f;

    if (bot->money < 10)
        return (int)bot->money;
    if (bot->opponentsMoney <= 50 && bot->card > 0.5f)
        return (int)bot->opponentsMoney; // a likely winner asks for all that the opponent has

    // Whole-number division: the lead counts once this stack is twice the opponent's and 40 more.
    Money lead = bot->money / (bot->opponentsMoney + 20);
    if (lead > 1) {
        passBelow /= 1.5f;
        limitAbove /= 1.5f;
    }

    if (bot->card > limitAbove)
        return 50;
    if (bot->card < passBelow)
        return 0;
    return (int)((bot->card - passBelow) / (limitAbove - passBelow) * 50);
}

int likemeb(const Bot *bot, const int aBet)
{
    int ownBet = likemea(bot);

    if (bot->money < 50)
        ownBet = (int)(ownBet * 1.2); // a short stack is pushed around with weaker cards
    return ownBet < aBet ? 0 : aBet;
}
