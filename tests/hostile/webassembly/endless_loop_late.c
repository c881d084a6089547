// Plays well for 100 decisions, then never answers.
// Verdict: disqualified: fuel
static int decisions;
int a(const Bot *bot) {
    if (++decisions > 100)
        for (volatile int i = 0;; i = i + 1) {
        }
    return 0;
}
int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }
