/* gnu17: numbers printed and read back: %e, %f, %g at all precisions, strtod, sscanf */
static unsigned mix(unsigned h, const char *s) { while (*s) h = h * 31 + (unsigned char)*s++; return h; }

Money a(const Bot *bot)
{
    static const char *const formats[] = {
        "%f", "%.0f", "%.3f", "%12.5f", "%-12.2f|", "%+.4e", "%E", "%.15g", "%.17g", "%g", "%#g", "%010.3f", "%.9g", "% f"};
    const double values[] = {bot->card, bot->card * 1e10, bot->card / 1e7, -(double)bot->card, bot->money / 7., 1 / 3.,
        123456789.5, 0.5, 1.5, 2.5, 1e300 * 1e10, 0.1 + 0.2, 5e-324, 1e22, 0.0, -0.0};
    unsigned h = 1;
    char text[400];
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (size_t j = 0; j < sizeof values / sizeof *values; j++) {
            snprintf(text, sizeof text, formats[i], values[j]);
            h = mix(h, text);
            double back = strtod(text, NULL), again = 0;
            sscanf(text, "%lf", &again);
            h = h * 31 + (back == again) + 2 * (back == values[j]);
        }
    return h;
}

int b(const Bot *bot, const int aBet)
{
    char text[60];
    sprintf(text, "%.17g", (double)bot->card);
    return (float)atof(text) == bot->card && strtof("16777217", NULL) == 16777216.f && aBet > 9;
}
