/* gnu17: math.h, to ten digits: roots, powers, logarithms, angles, rounding of all kinds, gamma, fmod, frexp */
static long long digits(double x) { return (long long)(x * 1e8 + (x < 0 ? -0.5 : 0.5)); }

Money a(const Bot *bot)
{
    const double x = bot->card + 0.001, y = bot->money / 10.0;
    int exponent;
    double whole;
    uint64_t h = (uint64_t)digits(sqrt(x)) + (uint64_t)digits(cbrt(y)) * 3 + (uint64_t)digits(pow(x, 1.7)) * 5;
    h += (uint64_t)digits(exp(-y)) * 7 + (uint64_t)digits(log(x)) * 11 + (uint64_t)digits(log10(y)) * 13 + (uint64_t)digits(log2(y));
    h += (uint64_t)digits(sin(y)) * 17 + (uint64_t)digits(cos(x)) * 19 + (uint64_t)digits(tan(x)) * 23 + (uint64_t)digits(atan2(x, -y));
    h += (uint64_t)digits(asin(x / 2)) + (uint64_t)digits(sinh(x)) + (uint64_t)digits(tanh(y)) + (uint64_t)digits(expm1(x)) + (uint64_t)digits(log1p(x));
    h += (uint64_t)digits(hypot(x, y)) + (uint64_t)digits(erf(x)) + (uint64_t)digits(lgamma(y + 1)) + (uint64_t)digits(tgamma(x + 1));
    h += (uint64_t)(floor(y) * 3 + ceil(-y) + trunc(-y) + round(y + 0.5) + rint(y) + nearbyint(2.5) + lround(-1.5));
    h += (uint64_t)digits(fmod(y, x)) + (uint64_t)digits(remainder(y, 0.3)) + (uint64_t)digits(frexp(y, &exponent)) + (uint64_t)exponent;
    h += (uint64_t)digits(modf(y, &whole)) + (uint64_t)whole + (uint64_t)ldexp(1, exponent) + (uint64_t)digits(copysign(x, -1) + fdim(x, .5) + fmax(x, .3) + fma(x, y, 1));
    h += (uint64_t)(isnan(x - x) + isinf(1 / (x - x)) + signbit(-0.0 * x));
    return (Money)(h & INT64_MAX);
}

int b(const Bot *bot, const int aBet) { return sqrt((double)bot->card * aBet) > 3 && fabs(-2.0f) == 2; }
