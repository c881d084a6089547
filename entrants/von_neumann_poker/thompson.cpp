// Thompson
// A bandit per band of cards: each bet size is an arm, judged by the stacks alone and chosen by a random draw of its worth.

template <int Bands, int Arms>
class Bandits {
public:
    explicit Bandits(float *memory) : mean(memory), count(memory + Bands * Arms) {}

    int choose(int band) const
    {
        int best = 0;
        double most = -1e9;
        for (int arm = 0; arm < Arms; arm++) {
            int place = band * Arms + arm;
            double drawn = mean[place] + 30 * bell() / sqrt(1.0 + count[place]);
            if (drawn > most) {
                most = drawn;
                best = arm;
            }
        }
        return best;
    }

    void reward(int band, int arm, float gain)
    {
        int place = band * Arms + arm;
        if (count[place] < 20000)
            count[place]++;
        mean[place] += (gain - mean[place]) / (1 + count[place]);
    }

private:
    static double bell()
    {
        double sum = -2;
        for (int i = 0; i < 4; i++)
            sum += rand() / (RAND_MAX + 1.0);
        return sum * 1.73;
    }

    float *mean, *count;
};

namespace {
constexpr int bands = 6, arms = 3;
constexpr float edges[bands - 1] = {0.15f, 0.45f, 0.65f, 0.8f, 0.9f};
constexpr int bets[arms] = {0, 16, 50};
enum { BAND = 36, ARM, CARD, STACK, BET, WAITING };

int bandOf(float card)
{
    int band = 0;
    while (band < bands - 1 && card > edges[band])
        band++;
    return band;
}

// Rewards the arm of the last move as A. Right after that game the card shown tells what it gained.
void settleByCard(Bot *bot)
{
    float *f = bot->f, stake = 10 + f[BET], shown = bot->opponentsPreviousCard;
    if (f[WAITING])
        Bandits<bands, arms>(f).reward(int(f[BAND]), int(f[ARM]), shown < 0 ? 10 : f[CARD] > shown ? stake : -stake);
    f[WAITING] = 0;
}

// A game later, after the opponent's pass, only the stacks tell; a gain that can't be is a new session.
void settleByStacks(Bot *bot)
{
    float *f = bot->f, gain = bot->money - f[STACK], size = fabsf(gain), bet = f[BET];
    bool possible = size == 0 || size == 20 || size == bet || size == bet + 20;
    if (f[WAITING] && possible && bot->money != bot->opponentsMoney)
        Bandits<bands, arms>(f).reward(int(f[BAND]), int(f[ARM]), gain);
    f[WAITING] = 0;
}
} // namespace

int a(Bot *bot)
{
    float *f = bot->f;
    settleByStacks(bot);
    int band = bandOf(bot->card);
    int arm = Bandits<bands, arms>(f).choose(band);
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
