// Asks what time it is; there is none.
// Verdict: ok
#include <stdlib.h>
#include <time.h>
int a(const Bot *bot) {
    struct timespec now = {0, 0};
    if (clock_gettime(CLOCK_REALTIME, &now) == 0 || now.tv_sec || now.tv_nsec || time(0) > 0)
        abort();
    return 5;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
