/* gnu17: a learner in doubles: regret matching over a grid of cards, a system of equations solved */
#define N 12
static double regrets[N][4], chosen[N][4], matrix[N][N + 1];

Money a(const Bot *bot)
{
    const int row = (int)(bot->card * N);
    double sum = 0, p[4], value = 0;
    for (int k = 0; k < 4; k++)
        sum += regrets[row][k] > 0 ? regrets[row][k] : 0;
    for (int k = 0; k < 4; k++)
        p[k] = sum > 0 ? (regrets[row][k] > 0 ? regrets[row][k] / sum : 0) : 0.25;
    for (int k = 0; k < 4; k++)
        value += p[k] * (k * bot->card - k * k * 0.1 + bot->opponentsPreviousCard * 0.3);
    for (int k = 0; k < 4; k++) {
        regrets[row][k] += k * bot->card - k * k * 0.1 - value;
        chosen[row][k] += p[k];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= N; j++)
            matrix[i][j] = (i == j ? 5 : 0) + 1.0 / (i + j + 1 + bot->card);
    for (int i = 0; i < N; i++)
        for (int k = i + 1; k < N; k++) {
            const double factor = matrix[k][i] / matrix[i][i];
            for (int j = i; j <= N; j++)
                matrix[k][j] -= factor * matrix[i][j];
        }
    union { double d; uint64_t u; } bits = {value + matrix[N - 1][N] / matrix[N - 1][N - 1] + chosen[row][2]};
    return (Money)(bits.u >> 1);
}

int b(const Bot *bot, const int aBet) { return chosen[(int)(bot->card * N)][aBet % 4] > 0.7; }
