// Takes all the memory that it gets, and then more.
// Verdict: disqualified: gave up
#include <stdlib.h>
int a(const Bot *bot) {
    for (;;) {
        char *volatile block = malloc(1 << 20);
        if (!block)
            abort();
        block[5] = 1;
    }
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
