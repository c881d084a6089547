// Thompson
// A bandit per band of cards: each bet size is an arm, judged by the stacks alone and chosen by a random draw of its worth.

enum { BANDS = 6, ARMS = 3, PLACES = BANDS * ARMS };
enum { BAND = 2 * PLACES, ARM, CARD, STACK, BET, WAITING };

static const float edges[BANDS - 1] = {0.15f, 0.45f, 0.65f, 0.8f, 0.9f};
static const int bets[ARMS] = {0, 16, 50};

static int bandOf(float card)
{
    int band = 0;
    while (band < BANDS - 1 && card > edges[band])
        band++;
    return band;
}

static double bell(void)
{
    double sum = -2;
    for (int i = 0; i < 4; i++)
        sum += rand() / (RAND_MAX + 1.0);
    return sum * 1.73;
}

static int choose(const float *mean, int band)
{
    const float *count = mean + PLACES;
    int best = 0;
    double most = -1e9;
    for (int arm = 0; arm < ARMS; arm++) {
        int place = band * ARMS + arm;
        double drawn = mean[place] + 30 * bell() / sqrt(1.0 + count[place]);
        if (drawn > most) {
            most = drawn;
            best = arm;
        }
    }
    return best;
}

// Gives the arm of the last move as A what it gained.
static void reward(float *mean, float gain)
{
    float *count = mean + PLACES;
    int place = (int)mean[BAND] * ARMS + (int)mean[ARM];
    if (count[place] < 20000)
        count[place]++;
    mean[place] += (gain - mean[place]) / (1 + count[place]);
}

// Right after that game the card shown tells what it gained.
static void settleByCard(Bot *bot)
{
    float *f = bot->f, stake = 10 + f[BET], shown = bot->opponentsPreviousCard;
    if (f[WAITING])
        reward(f, shown < 0 ? 10 : f[CARD] > shown ? stake : -stake);
    f[WAITING] = 0;
}

// A game later, after the opponent's pass, only the stacks tell; a gain that can't be is a new session.
static void settleByStacks(Bot *bot)
{
    float *f = bot->f, gain = bot->money - f[STACK], size = fabsf(gain), bet = f[BET];
    int possible = size == 0 || size == 20 || size == bet || size == bet + 20;
    if (f[WAITING] && possible && bot->money != bot->opponentsMoney)
        reward(f, gain);
    f[WAITING] = 0;
}

int a(Bot *bot)
{
    float *f = bot->f;
    settleByStacks(bot);
    int band = bandOf(bot->card);
    int arm = choose(f, band);
    f[BAND] = band;
    f[ARM] = arm;
    f[CARD] = bot->card;
    f[STACK] = bot->money;
    f[BET] = fminf(bets[arm], fminf(bot->money, bot->opponentsMoney));
    f[WAITING] = 1;
    return bets[arm];
}

int b(Bot *bot, const int aBet)
{
    settleByCard(bot);
    return bot->card > (2.8f + aBet) / (20 + aBet);
}
