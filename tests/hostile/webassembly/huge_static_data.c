// Has more data than a bot's memory.
// Verdict: broken: can't start
static volatile char data[1 << 27];
int a(const Bot *bot) { return data[bot->money]; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
