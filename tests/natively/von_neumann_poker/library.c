/* gnu17: the rest of stdlib: div, labs, strtof, limits, float.h, assert, offsetof, atoll */
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <errno.h>

Money a(const Bot *bot)
{
    div_t parts = div((int)(bot->card * 1000) - 500, 7);
    lldiv_t wide = lldiv(-(long long)bot->money * 1000000007, 97);
    assert(parts.quot * 7 + parts.rem == (int)(bot->card * 1000) - 500);
    errno = 0;
    double huge = strtod("1e999", NULL);
    Money h = parts.quot * 10 + parts.rem + wide.quot + wide.rem + (errno == ERANGE) * 5 + (huge == HUGE_VAL) * 3;
    h += INT_MAX / 1000 + CHAR_MIN + SHRT_MAX + DBL_DIG + FLT_MANT_DIG + (Money)(DBL_EPSILON * 1e18) + RAND_MAX % 1000;
    return h + atoll("-9000000000") + llabs(-5) + (Money)offsetof(struct { char c; double d; }, d);
}

int b(const Bot *bot, const int aBet) { return abs(aBet - (int)bot->money) % 3; }
