/* gnu17: long double where its last digits don't matter: sums, sqrtl, powl, printed and read */
Money a(const Bot *bot)
{
    long double sum = 0, x = bot->card;
    char text[60];
    for (int i = 1; i < 50; i++)
        sum += x / i;
    sum += sqrtl(x) + powl(x, 0.3L) + fabsl(-x);
    snprintf(text, sizeof text, "%.6Lf", sum);
    return (Money)(sum * 1e9L) / 10 + (Money)(strtold(text, NULL) * 1000);
}

int b(const Bot *bot, const int aBet) { return sqrtl(aBet) > 4 && bot->money; }
