// Writes and writes; nobody reads.
// Verdict: ok
#include <stdio.h>
int a(const Bot *bot) {
    for (int i = 0; i < 100; i++)
        printf("ACTION BET 50\n");
    fflush(stdout);
    return 5;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
