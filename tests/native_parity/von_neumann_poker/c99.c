/* gnu17: C of 1999 and 2011: designated and compound literals, arrays of variable length, _Generic, anonymous members */
#include <complex.h>
#include <stdbool.h>
#include <stdalign.h>
#include <tgmath.h>
#define kind(x) _Generic((x), int: 1, double: 2, float: 3, char *: 4, default: 5)
struct shape { union { struct { int w, h; }; int both[2]; }; bool round; int rest[]; };
_Static_assert(sizeof(int) == 4, "as everywhere");
static int sums[] = {[3] = 9, [1] = 4, 7};
static inline int total(int n, int rows[n][n]) { int t = 0; for (int i = 0; i < n; i++) t += rows[i][n - 1 - i]; return t; }

Money a(const Bot *bot)
{
    const int n = 3 + (int)(bot->card * 5);
    int rows[n][n];
    for (int i = 0; i < n * n; i++)
        rows[i / n][i % n] = i * sums[i % 4];
    struct shape s = {.w = n, .h = (int)bot->money, .round = 7};
    double complex z = bot->card + 2.0 * I;
    z = z * z / (1 - I);
    alignas(16) char buffer[32];
    Money h = total(n, rows) + s.both[1] + s.round * 100 + kind(1) + 10 * kind(1.f) + 20 * kind("") + (int)sqrt(16.0f);
    h += (Money)(creal(z) * 1e6) + (Money)(cimag(z) * 1e6) + (Money)(((uintptr_t)buffer & 15) == 0);
    return h + ((struct shape){.both = {4, 5}}).h + (int[]){1, 2, 3}[n % 3];
}

int b(const Bot *bot, const int aBet) { return (bool)(aBet & 8) || bot->card > .9; }
