// Calls itself without end.
// Verdict: disqualified: recursed
static int deeper(volatile int *number) {
    volatile int next = *number + 1;
    return deeper(&next) + next;
}
int a(const Bot *bot) {
    volatile int number = 0;
    return deeper(&number);
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
