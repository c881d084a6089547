// Writes where it has no memory.
// Verdict: disqualified: out of bounds
int a(const Bot *bot) {
    *(volatile int *)0x7fffffff = 1;
    return 1;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
