// Bets what is no number, and more than there is.
// Verdict: ok
#include <math.h>
int a(const Bot *bot) {
    volatile double bets[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308, 2147483647, -2147483648.0};
    static int turn;
    return (int)bets[turn++ % 7];
}
int b(const Bot *bot, const int bet) {
    volatile double nan = NAN;
    return (int)nan;
}
