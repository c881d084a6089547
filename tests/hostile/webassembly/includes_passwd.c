// Has the compiler show the machine's accounts.
// Verdict: broken: not found or error
#include "/etc/passwd"
int a(const Bot *bot) { return 1; }
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
