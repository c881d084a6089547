// Opens a file.
// Verdict: broken: opens files
#include <stdio.h>
int a(const Bot *bot) { return fopen("@canary@", "r") != 0; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
