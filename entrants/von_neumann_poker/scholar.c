// Scholar
// Studies the opponent: what it shows after each size of bet, and how often it folds to each; then plays the best reply.

// A call of s pays when the opponent's card is lower with a chance above s / (20 + 2s): the right calling line is that
// quantile of the cards behind the bet. One line per two dollars of bet is nudged towards it by every card shown.
enum { LINES = 0, LINE_COUNT = 25, RUNGS = 7, TRIES = 25, FOLDS = 32, CARDS = 39, RUNG = 46, STACK = 47, CALLED = 48, SEEN = 49 };

static const float rungs[RUNGS] = {2, 6, 12, 18, 27, 38, 50}; // bets to choose from; not 20, which stacks can't tell from a fold

static void prepare(float *f)
{
    if (f[TRIES] > 0)
        return;
    for (int i = 0; i < LINE_COUNT; i++)
        f[LINES + i] = (4.3f + 2 * i) / (21.5f + 2 * i);
    for (int i = 0; i < RUNGS; i++) {
        float line = (2.8f + rungs[i]) / (20 + rungs[i]);
        f[TRIES + i] = 4;
        f[FOLDS + i] = 4 * line;
        f[CARDS + i] = (1 + line) / 2;
    }
}

static void noteReply(float *f, int rung, int folded, float card)
{
    if (f[TRIES + rung] > 400) { // old habits count for less
        f[TRIES + rung] /= 2;
        f[FOLDS + rung] /= 2;
    }
    f[TRIES + rung]++;
    if (folded)
        f[FOLDS + rung]++;
    if (card >= 0)
        f[CARDS + rung] += (card - f[CARDS + rung]) * fmaxf(0.01f, 1 / (2 + f[TRIES + rung] - f[FOLDS + rung]));
}

static void noteBettingCard(float *f, float bet, float card)
{
    int place = (int)(bet - 1) / 2;
    float quantile = bet / (20 + 2 * bet);
    float step = fmaxf(0.015f, 0.2f / (1 + f[SEEN]++ / 20));

    for (int i = place - 1; i <= place + 1; i++)
        if (i >= 0 && i < LINE_COUNT) {
            float *line = &f[LINES + i];
            *line += (i == place ? step : step / 2) * (card > *line ? quantile : quantile - 1);
            *line = fminf(fmaxf(*line, 0), 0.95f);
        }
}

static float worth(const float *f, int rung, float bet, float card)
{
    float folds = f[FOLDS + rung] / f[TRIES + rung];
    float lowest = fminf(fmaxf(2 * f[CARDS + rung] - 1, 0), 0.98f); // callers' cards: from here up
    float wins = fmaxf((card - lowest) / (1 - lowest), 0);

    return folds * 20 + (1 - folds) * (wins * (20 + 2 * bet) - bet) + 15 / f[TRIES + rung]; // curiosity is worth something
}

int a(Bot *bot)
{
    float *f = bot->f, cap = fminf(50, fminf(bot->money, bot->opponentsMoney));
    int best = -1;

    prepare(f);
    if (f[CALLED] > 0 && bot->opponentsPreviousCard >= 0)
        noteBettingCard(f, f[CALLED], bot->opponentsPreviousCard);
    f[CALLED] = 0;
    if (f[RUNG] > 0 && bot->money != bot->opponentsMoney) { // the opponent passed since; only the stacks tell what became of the bet
        int rung = (int)f[RUNG] - 1;
        float bet = fminf(rungs[rung], fminf(f[STACK], 200 - f[STACK])), gain = bot->money - f[STACK];
        int folded = gain == 0 || gain == 20, called = fabsf(gain) == bet || fabsf(gain) == bet + 20;
        if (folded || called)
            noteReply(f, rung, folded, -1);
    }

    float most = bot->card * 20; // what a pass is worth
    for (int i = 0; i < RUNGS; i++) {
        float bet = fminf(rungs[i], cap), value = worth(f, i, bet, bot->card);
        if (value > most && (i == 0 || rungs[i - 1] < cap)) {
            most = value;
            best = i;
        }
    }
    f[RUNG] = best + 1;
    f[STACK] = bot->money;
    return best < 0 ? 0 : (int)rungs[best]; // the controller cuts it to the stacks
}

int b(Bot *bot, const Money aBet)
{
    float *f = bot->f;

    prepare(f);
    if (f[RUNG] > 0)
        noteReply(f, (int)f[RUNG] - 1, bot->opponentsPreviousCard < 0, bot->opponentsPreviousCard);
    f[RUNG] = 0;
    f[CALLED] = bot->card > f[LINES + (aBet - 1) / 2] ? aBet : 0;
    return f[CALLED] > 0;
}
