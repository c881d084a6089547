// Has the compiler read a file that never ends.
// Verdict: broken: error or took or memory or at it or killed
#include "/dev/zero"
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
