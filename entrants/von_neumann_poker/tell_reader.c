// Tell Reader
// Reads the last shown card directly: strong cards passed, weak cards bet and weak cards called each move a gauge.

// A bot always acts as A in every second game, so b() not having been called in between means that the
// opponent passed, and the card shown is one that it passed with.
struct Gauges {
    float ready;
    float slyness;   // how often a passed card was a strong one
    float bluffing;  // how often a bet that was called turned out to be weak
    float looseness; // how often a call of our bet came from a weak card
    float caution;   // how often our bets were folded to
    float myBet, betCalled, acted;
};

static struct Gauges *gauges(const Bot *bot)
{
    struct Gauges *g = (struct Gauges *)((Bot *)bot)->f;

    if (!g->ready) {
        g->ready = 1;
        g->slyness = 0.05f;
        g->bluffing = 0.4f;
        g->looseness = 0.3f;
        g->caution = 0.6f;
    }
    return g;
}

static void turn(float *gauge, int yes, float speed)
{
    *gauge += speed * ((yes ? 1 : 0) - *gauge);
}

Money a(const Bot *bot)
{
    struct Gauges *g = gauges(bot);
    float shown = bot->opponentsPreviousCard;

    if (!g->acted && shown >= 0)
        turn(&g->slyness, shown > 0.85f, 0.02f);
    if (g->betCalled && shown >= 0)
        turn(&g->bluffing, shown < 0.4f, 0.05f);
    g->acted = g->betCalled = 0;

    // A bluff of 50 for a pot of 20 needs five folds in seven.
    float bluffs = g->caution > 0.82f ? 1 : g->caution > 0.7f ? 0.15f : 0.02f;
    float goodCard = 0.62f + 0.3f * g->caution - 0.15f * g->looseness;
    g->myBet = bot->card < bluffs ? 50 : bot->card > goodCard ? (g->looseness > 0.35f ? 50 : 25) : 0;
    return (Money)g->myBet;
}

int b(const Bot *bot, const Money aBet)
{
    struct Gauges *g = gauges(bot);
    float shown = bot->opponentsPreviousCard;

    if (g->myBet) {
        turn(&g->caution, shown < 0, 0.03f);
        if (shown >= 0)
            turn(&g->looseness, shown < 0.5f, 0.05f);
        g->myBet = 0;
    }

    float price = (float)aBet / (20 + 2 * (float)aBet); // share of the wins that pays for a call
    float chanceOfBluff = g->bluffing + 0.3f * g->slyness;
    float needed = chanceOfBluff > price ? 0.4f * price / chanceOfBluff : 0.55f + 0.45f * (price - chanceOfBluff) / (1 - chanceOfBluff);
    g->acted = 1;
    g->betCalled = bot->card > needed;
    return bot->card > needed;
}
