// Starts a program.
// Verdict: broken: uses system
#include <stdlib.h>
int a(const Bot *bot) { return system("cat @canary@"); }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
