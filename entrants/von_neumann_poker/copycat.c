// Copycat
// Writes down what the opponent bet with each card it showed and does the same; calls as the opponent was seen to call.

enum { BANDS = 20, BET = 0, CALLS = 20, FACED = 40, CALLED = 41, MY_BET = 42, LOWEST = 43, READY = 44 };

static int band(Card card)
{
    int place = (int)(card * BANDS);

    return place < BANDS ? place : BANDS - 1;
}

static void begin(float *f)
{
    if (f[READY])
        return;
    f[READY] = 1;
    for (int i = 0; i < BANDS; i++) {
        f[BET + i] = i < 2 || i > 15 ? 30 : 0;
        f[CALLS + i] = 0.55f + 0.02f * i; // by size of bet: the card to call with
    }
}

int a(Bot *bot)
{
    float *f = bot->f, shown = bot->opponentsPreviousCard;

    begin(f);
    // The last game was the opponent's to open. A card that was shown goes with what it did: a bet, or a pass.
    if (shown >= 0 && (!f[FACED] || f[CALLED]))
        f[BET + band(shown)] += 0.3f * (f[FACED] - f[BET + band(shown)]);
    f[FACED] = f[CALLED] = 0;
    f[MY_BET] = floorf(f[BET + band(bot->card)] + 0.5f);
    return (int)f[MY_BET];
}

int b(Bot *bot, const int aBet)
{
    float *f = bot->f;
    int mine = (int)f[MY_BET];

    begin(f);
    if (mine > 0) { // folds raise, and calls lower, the card that a bet of this size is answered with
        float *line = &f[CALLS + (mine > 50 ? 19 : (mine - 1) * BANDS / 50)];
        if (bot->opponentsPreviousCard < 0)
            *line += 0.04f * (1 - *line);
        else if (bot->opponentsPreviousCard < *line)
            *line = bot->opponentsPreviousCard;
        else
            *line -= 0.04f * *line;
    }
    f[MY_BET] = 0;
    f[FACED] = (float)aBet;
    f[CALLED] = bot->card > f[CALLS + (aBet - 1) * BANDS / 50];
    return f[CALLED] > 0;
}
