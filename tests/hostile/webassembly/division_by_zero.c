// Divides by zero.
// Verdict: disqualified: divided by zero
int a(const Bot *bot) {
    volatile int zero = 0;
    return 100 / zero;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
