// Has more data than a bot's memory.
// Verdict: broken: at most 64 are allowed, and 8 for its stack
static volatile char data[1 << 27];
int a(const Bot *bot) { return data[bot->money]; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
