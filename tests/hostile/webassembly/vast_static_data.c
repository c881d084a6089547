// Has data that makes a compiled file of gigabytes.
// Verdict: broken: GiB or at it or memory
static volatile char data[2000000000];
int a(const Bot *bot) { return data[bot->money]; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
