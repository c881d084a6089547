// Has the compiler show a file in its message.
// Verdict: broken: not found or error
#include "@canary@"
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
