// Three Masks
// Rolls for a bet size before looking at its card, then plays that size's own equilibrium, so that a size tells nothing.

static const int masks[3] = {12, 25, 50};

// Pot 20: bluffs below .low, value above .high, calls above .call for a bet of the given size.
struct Edges {
    double low, high, call;
};

static struct Edges edgesFor(double bet)
{
    double unit = 20 / ((40 + bet) * (20 + 2 * bet));
    struct Edges edges = {unit * bet, 1 - unit * (20 + bet), 1 - 2 * unit * (20 + bet)};

    return edges;
}

int a(const Bot *bot)
{
    int cap = (int)(bot->money < bot->opponentsMoney ? bot->money : bot->opponentsMoney);
    int size = masks[(rand() >> 4) % 3];

    if (size > cap)
        size = cap;
    struct Edges edges = edgesFor(size);
    return bot->card < edges.low || bot->card > edges.high ? size : 0;
}

int b(const Bot *bot, const int aBet)
{
    // Near the line the choice is mixed too: nobody can find the exact card.
    double blur = (rand() % 1000 - 500) / 25000.0;

    return bot->card > edgesFor(aBet).call + blur;
}
