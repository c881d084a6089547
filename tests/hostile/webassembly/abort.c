// Aborts.
// Verdict: disqualified: gave up
#include <stdlib.h>
int a(const Bot *bot) { abort(); }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
