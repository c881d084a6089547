// Plan Switcher
// Keeps four ready-made plans, grades each by the money it made, and mostly plays the best one so far.

struct Plan {
    double bluffBelow, betAbove;
    int bet;
    double callShift; // added to the equilibrium's calling card
};

static const struct Plan plans[] = {
    {0.09, 0.87, 50, 0.00},  // by the book
    {0.45, 0.80, 40, -0.05}, // steal
    {0.00, 0.65, 35, -0.20}, // suspicious: never bluff, call much
    {0.12, 0.75, 12, 0.12},  // small bets, careful calls
};

enum { PLANS = 4, GRADE = 0, TRIALS = 4, NOW = 8, TURNS = 9, STACK = 10, TURNS_PER_TRIAL = 12 };

static int favourite(const float *f)
{
    int best = 0;

    for (int i = 0; i < PLANS; i++) {
        if (f[TRIALS + i] < 8)
            return i; // every plan gets a fair hearing first
        if (f[GRADE + i] > f[GRADE + best])
            best = i;
    }
    return rand() % 25 ? best : rand() % PLANS;
}

int a(Bot *bot)
{
    float *f = bot->f;
    int now = (int)f[NOW];

    // Stacks of 100 each may mean a new session: no grade then.
    if (f[STACK] > 0 && bot->money != bot->opponentsMoney) {
        float gain = (float)bot->money - f[STACK];
        f[GRADE + now] += (gain - f[GRADE + now]) / (20 + fminf(f[TRIALS + now] * TURNS_PER_TRIAL, 20000));
    }
    f[STACK] = (float)bot->money;
    if (++f[TURNS] >= TURNS_PER_TRIAL) {
        f[TURNS] = 0;
        f[TRIALS + now]++;
        now = favourite(f);
        f[NOW] = (float)now;
    }
    const struct Plan *plan = &plans[now];
    return bot->card < plan->bluffBelow || bot->card > plan->betAbove ? plan->bet : 0;
}

int b(Bot *bot, const int aBet)
{
    double d = (40.0 + aBet) * (20 + 2.0 * aBet);

    return bot->card > 1 - 40.0 * (20 + aBet) / d + plans[(int)bot->f[NOW]].callShift;
}
