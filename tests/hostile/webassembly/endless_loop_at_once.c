// Never answers.
// Verdict: disqualified: fuel
int a(const Bot *bot) {
    for (volatile int i = 0;; i = i + 1) {
    }
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
