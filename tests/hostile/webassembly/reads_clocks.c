// Asks what time it is, by every name: it learns its own fuel, and nothing of the machine.
// Verdict: ok
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int a(const Bot *bot) {
    struct timespec now, resolution, later;
    unsigned char chance[8];
    if (clock_gettime(CLOCK_REALTIME, &now) || clock_getres(CLOCK_MONOTONIC, &resolution))
        abort();
    // A leg takes less than a day, which began with it; it is short of nothing but fuel.
    if (time(0) / 86400 != 1767225600 / 86400 || resolution.tv_nsec != 1)
        abort();
    if (clock_gettime(CLOCK_REALTIME, &later) || later.tv_sec != now.tv_sec || later.tv_nsec - now.tv_nsec > 10000)
        abort();
    if (clock() / CLOCKS_PER_SEC > 60 || getentropy(chance, sizeof chance))
        abort();
    return 5;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
