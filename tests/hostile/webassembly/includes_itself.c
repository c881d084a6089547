// Includes itself for ever.
// Verdict: broken: error
#include "includes_itself.c"
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
