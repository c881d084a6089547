// Has the compiler read another bot.
// Verdict: broken: not found or error
#define a opponents_a
#define b opponents_b
#include "@opponent@"
#undef a
#undef b
int a(const Bot *bot) { return opponents_a(bot); }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
