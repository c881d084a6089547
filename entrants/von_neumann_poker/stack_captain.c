// Stack Captain
// Sails by the stacks: push or fold when short, steady when level, and no needless risk once the session's score is good.

enum { GAMES = 0, LAST_STACK = 1 };

static const double pot = 20;

static Money shorter(const Bot *bot)
{
    return bot->money < bot->opponentsMoney ? bot->money : bot->opponentsMoney;
}

// Equal stacks of 100 after anything else are taken as a new session. A session that comes back to 100 by play
// only restarts the count of games, which costs little.
static double sessionScore(const Bot *bot, int gamesSinceLastLook)
{
    float *f = ((Bot *)bot)->f;

    f[GAMES] += gamesSinceLastLook;
    if (f[GAMES] >= 50 || (bot->money == 100 && f[LAST_STACK] != 100))
        f[GAMES] = 0;
    f[LAST_STACK] = bot->money;
    return (bot->money - 100) / sqrt(f[GAMES] + 1);
}

// How much to tighten: positive with a lead to protect near the end, negative when behind with little time left.
static double mood(const Bot *bot, double score)
{
    double late = bot->f[GAMES] / 50;

    return fmax(-0.08, fmin(0.08, 0.012 * score * late));
}

Money a(const Bot *bot)
{
    double score = sessionScore(bot, 2), tighten = mood(bot, score);
    Money stack = shorter(bot), bet = stack < 50 ? stack : 40;
    double d = (2 * pot + bet) * (pot + 2 * bet);
    double bluff = pot * bet / d - tighten / 2, good = 1 - pot * (pot + bet) / d + tighten / 2;

    if (stack <= 30) // push or pass: the short side folds too much, or dies
        return bot->card < bluff + 0.03 || bot->card > good - 0.03 ? stack : 0;
    if (bot->card > good)
        return bot->card > 0.93 ? 50 : bet;
    if (bot->card > 0.62 + tighten)
        return 5 + (Money)(40 * (bot->card - 0.62));
    return bot->card < bluff ? bet : 0;
}

int b(const Bot *bot, const Money aBet)
{
    double d = (2 * pot + aBet) * (pot + 2 * aBet);
    double line = 1 - 2 * pot * (pot + aBet) / d;

    line += mood(bot, sessionScore(bot, 0));
    if (bot->money - aBet < 20)
        line += 0.01; // a lost call would end the session
    return bot->card > line;
}
