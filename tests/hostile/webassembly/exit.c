// Exits, as if the tournament were over.
// Verdict: disqualified: gave up
#include <stdlib.h>
int a(const Bot *bot) { exit(0); }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
