/* gnu17: what is kept between decisions: globals, statics of functions, the floats in f, tables of counts */
static int seen[10], asked;
static double mean;
static char history[500] = "start";

static int next(void)
{
    static int last = 41;
    return last = last * 5 % 101;
}

Money a(const Bot *bot)
{
    float *f = ((Bot *)bot)->f;
    asked++;
    seen[(int)(bot->card * 10)]++;
    mean += (bot->card - mean) / asked;
    f[asked % 50] += bot->card;
    f[0] = f[0] * 0.9f + bot->opponentsPreviousCard;
    history[asked % 499] = (char)('a' + (int)(bot->card * 26));
    return (Money)(mean * 1e9) + seen[asked % 10] * 7 + next() + (Money)(f[0] * 1000) + (Money)(f[49] * 100) + history[(asked * 7) % 499];
}

int b(const Bot *bot, const int aBet)
{
    ((Bot *)bot)->f[1] += aBet;
    return bot->f[1] > 30 * asked || next() > 60;
}
