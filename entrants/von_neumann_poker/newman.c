// Newman
// Every bet size has its own value card and its own bluff (after D. J. Newman, "A model for 'real' poker", 1959), up to a limit.

// P is the pot and S the largest bet allowed; for a bet of s write q = P / (P + s), and r for q at s = S.
//   Bluffs of all sizes must be worth the same:      call(s)  = 1 - (1 - edge) * q
//   No other size may suit a good card better:       value(s) = 1 - (1 - edge) * q * q / 2
//   A call at call(s) must break even, so that bluffs are to good cards as s is to P + s:
//                                                    bluff(s) = edge - (1 - edge) * (1 - 3 q^2 + 2 q^3) / 6
//   The worst cards bluff S, and all together fill [0, edge):  edge = (1 - r^3) / (7 - r^3)
// Without a limit edge is 1/7. Cards from edge to value(0) pass.

static const double pot = 20;

static double bluffEdge(double limit)
{
    double r = pot / (pot + limit);

    return (1 - r * r * r) / (7 - r * r * r);
}

static Money smallest(Money first, Money second)
{
    return first < second ? first : second;
}

Money a(const Bot *bot)
{
    Money limit = smallest(50, smallest(bot->money, bot->opponentsMoney));
    double card = bot->card, edge = bluffEdge(limit);

    if (card < edge) { // the worse the card, the bigger the bluff
        for (Money bet = 1; bet < limit; bet++) {
            double q = pot / (pot + bet);
            if (card >= edge - (1 - edge) * (1 - 3 * q * q + 2 * q * q * q) / 6)
                return bet;
        }
        return limit;
    }
    if (card < (1 + edge) / 2)
        return 0;
    double fittingBet = pot * sqrt((1 - edge) / (2 * (1 - card))) - pot;
    return fittingBet < limit ? (Money)(fittingBet + 0.5) : limit;
}

int b(const Bot *bot, const Money aBet)
{
    Money limit = smallest(50, smallest(bot->money, bot->opponentsMoney));
    double edge = bluffEdge(limit);

    return bot->card > 1 - (1 - edge) * pot / (pot + aBet);
}
