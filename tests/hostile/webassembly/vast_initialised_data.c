// Has a list of gigabytes in a few characters.
// Verdict: broken: GiB or took or memory or at it
static volatile char data[] = {[3000000000u] = 1};
int a(const Bot *bot) { return data[bot->money]; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
