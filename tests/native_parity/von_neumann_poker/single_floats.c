/* gnu17: floats that stay floats: sums in any order, comparisons of halves of a bit, fractions of a dollar */
float a(const Bot *bot)
{
    float sum = 0, back = 0;
    for (int i = 1; i <= 100; i++)
        sum += bot->card / i;
    for (int i = 100; i >= 1; i--)
        back += bot->card / i;
    const double wide = bot->card * 0.1;
    return (sum - back) * 1e7f + (bot->card * 0.1f == (float)wide) * 100 + (wide == (double)(bot->card * 0.1f)) * 50 + sqrtf(bot->card) * 9;
}

int b(const Bot *bot, const int aBet) { return bot->card * 3.f > 1.f + aBet / 50.f; }
